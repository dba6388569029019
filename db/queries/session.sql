-- Transactions, and how the sessions of this program behave.

-- The committer's statements have one plan each whatever the arrays hold.
-- name: session_store
SET TIME ZONE 'UTC'; SET client_min_messages = warning; SET plan_cache_mode = force_generic_plan;
SET synchronous_commit = on; SET jit = off; SET default_transaction_isolation = 'read committed';

-- Reads with optional filters are not prepared (Connection::ExecPlanned): `auto` plans each of them for
-- its own parameters. A month's report sorts in memory.
-- name: session_reads
SET TIME ZONE 'UTC'; SET client_min_messages = warning; SET plan_cache_mode = auto;
SET jit = off; SET default_transaction_read_only = on; SET statement_timeout = '30s';
SET work_mem = '64MB';

-- name: begin_batch
BEGIN

-- name: begin_snapshot
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: commit
COMMIT

-- name: rollback
ROLLBACK

-- name: ping
SELECT 1
