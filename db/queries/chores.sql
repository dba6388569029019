-- What is swept now and then. $1: now.

-- name: make_event_partitions
SELECT make_event_partitions($1::timestamptz, $1::timestamptz + interval '3 months')

-- name: drop_old_events
SELECT drop_event_partitions($1::timestamptz - make_interval(months => $2::integer))

-- name: delete_stale_requests
DELETE FROM requests WHERE NOT money AND at < $1::timestamptz - interval '49 hours'

-- Checkpoints go a week after the job's end, outputs a month after it.
-- name: delete_old_file_sets
DELETE FROM file_sets f
 USING jobs j
 WHERE j.id = f.job
   AND j.ended_at < $1::timestamptz - CASE WHEN f.kind = 'checkpoint' THEN interval '7 days'
                                           ELSE interval '30 days' END
