-- Leadership (design.md 3): one row, the database's clock, 3 s to expire.

-- Raises the term if the row is free, expired, or held by the same holder; else no row.
-- name: acquire_leadership
WITH taken AS (
  UPDATE leader
     SET holder = $1::text, address = $2::text, term = term + 1, renewed_at = clock_timestamp()
   WHERE only_row
     AND (holder = '' OR holder = $1::text
          OR renewed_at < clock_timestamp() - interval '3 seconds')
  RETURNING term, batch
)
INSERT INTO terms (term, holder, address, batch_before, began_at)
SELECT term, $1::text, $2::text, batch, clock_timestamp() FROM taken
RETURNING term
;

-- name: renew_leadership
UPDATE leader SET renewed_at = clock_timestamp() WHERE only_row AND term = $1::bigint
RETURNING term
;

-- Frees the row for a standby at once.
-- name: resign_leadership
UPDATE leader SET holder = '', address = '' WHERE only_row AND term = $1::bigint
RETURNING term
;

-- name: read_leader
SELECT holder, address, term, batch, core_now,
       holder <> '' AND renewed_at >= clock_timestamp() - interval '3 seconds'
  FROM leader
;

-- Waits for whoever is moving the row; the next statement sees what came of it.
-- name: lock_leader
SELECT term FROM leader FOR UPDATE
;

-- A term that is over landed what its successor found.
-- name: landed
SELECT CASE WHEN l.term = $1::bigint THEN l.batch
            ELSE coalesce((SELECT t.batch_before FROM terms t WHERE t.term > $1::bigint
                            ORDER BY t.term LIMIT 1), 0) END >= $2::bigint
  FROM leader l
;

-- name: move_batch
SELECT move_batch($1::bigint, $2::bigint, $3::timestamptz)
;
