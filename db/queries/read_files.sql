-- What of jobs' files lies in the blob store.

-- $2: one task's index; -1: all of them.
-- name: file_sets_of
SELECT job, index, number, kind, generation, root, files, bytes, kept_at
  FROM file_sets
 WHERE job = $1::bigint AND ($2::integer < 0 OR index = $2::integer)
 ORDER BY job, index, number, kind, generation
;

-- What a task goes on from: of its newest attempt that wrote any, the highest generation.
-- name: newest_checkpoint
SELECT job, index, number, kind, generation, root, files, bytes, kept_at
  FROM file_sets
 WHERE job = $1::bigint AND index = $2::integer AND kind = 'checkpoint'
 ORDER BY number DESC, generation DESC LIMIT 1
;

-- How much of the store the owner of a job fills; equal trees count once.
-- name: bytes_kept_of
SELECT coalesce(sum(bytes), 0)::bigint
  FROM (SELECT DISTINCT ON (f.root) f.bytes
          FROM file_sets f JOIN jobs j ON j.id = f.job
         WHERE j.member = (SELECT member FROM jobs WHERE id = $1::bigint)
         ORDER BY f.root) trees
;

-- All trees that must stay: of file sets, and the code of jobs that may still run or have not ended
-- long ago. $1: now.
-- name: live_trees
SELECT root FROM file_sets
 UNION
SELECT code FROM jobs
 WHERE code <> '' AND (ended_at IS NULL OR ended_at > $1::timestamptz - interval '30 days')
 ORDER BY 1
;
