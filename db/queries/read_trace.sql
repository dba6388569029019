-- The lab's own history as a trace for `pinka simulate`: what has run and is over.

-- name: trace_tasks
-- A task counts from when it might start. It needed what its earlier attempts saved, and all that
-- its last one ran. A tier without cards counts units.
SELECT greatest(j.submitted_at, j.eligible_at, j.begin_at) AS waits_from,
       (a.run_ms * 1000)::bigint AS run_us,
       CASE WHEN t.unit_gpus > 0 THEN j.gpus ELSE j.units END AS gpus,
       m.name AS member, t.name AS tier, k.state, j.deadline, j.time_limit_us
  FROM tasks k
  JOIN jobs j ON j.id = k.job
  JOIN members m ON m.id = j.member
  JOIN tiers t ON t.id = j.tier
 CROSS JOIN LATERAL (
       SELECT sum(CASE WHEN number = k.attempts THEN metered_ms ELSE checkpoint_ms END) AS run_ms
         FROM attempts WHERE (job, index) = (k.job, k.index)) a
 WHERE k.ended_at IS NOT NULL AND a.run_ms > 0
 ORDER BY waits_from, k.job, k.index
;
