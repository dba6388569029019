-- What is swept now and then. $1: now.

-- name: make_event_partitions
SELECT make_event_partitions($1::timestamptz, $1::timestamptz + interval '3 months')

-- name: drop_old_events
SELECT drop_event_partitions($1::timestamptz - make_interval(months => $2::integer))

-- name: delete_stale_requests
DELETE FROM requests WHERE NOT money AND at < $1::timestamptz - interval '49 hours'

-- Of a task that may go on the newest two generations stay, of an ended one the newest for a week;
-- outputs go a month after the job's end.
-- name: delete_old_file_sets
DELETE FROM file_sets f
 USING (SELECT s.job, s.index, s.number, s.kind, s.generation, j.ended_at,
               row_number() OVER (PARTITION BY s.job, s.index, s.kind
                                  ORDER BY s.number DESC, s.generation DESC) AS age
          FROM file_sets s JOIN jobs j ON j.id = s.job) o
 WHERE (f.job, f.index, f.number, f.kind, f.generation)
     = (o.job, o.index, o.number, o.kind, o.generation)
   AND ((f.kind = 'checkpoint' AND o.age > 2)
     OR (f.kind = 'checkpoint' AND o.ended_at < $1::timestamptz - interval '7 days')
     OR (f.kind = 'output' AND o.ended_at < $1::timestamptz - interval '30 days'))
