-- The history of the schema itself.

-- name: make_schema_migrations
CREATE TABLE IF NOT EXISTS schema_migrations (
  version    integer PRIMARY KEY,
  name       text NOT NULL,
  checksum   text NOT NULL,  -- SHA-256 of up and down
  applied_at timestamptz NOT NULL
)

-- One program migrates at a time; the lock goes with the session at the latest.
-- name: lock_schema
SELECT pg_advisory_lock(7046312911)

-- name: unlock_schema
SELECT pg_advisory_unlock(7046312911)

-- name: applied_migrations
SELECT version, name, checksum FROM schema_migrations ORDER BY version

-- name: has_schema_migrations
SELECT to_regclass('schema_migrations') IS NOT NULL

-- name: record_migration
INSERT INTO schema_migrations (version, name, checksum, applied_at)
VALUES ($1::integer, $2::text, $3::text, clock_timestamp())

-- name: forget_migration
DELETE FROM schema_migrations WHERE version = $1::integer

-- Of the table $1, as it is: rows travel in this order (whole_rows.h).
-- name: columns_of_table
SELECT c.reltype::bigint, a.attname::text, a.atttypid::bigint
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.oid = to_regclass($1::text) AND a.attnum > 0 AND NOT a.attisdropped
 ORDER BY a.attnum
