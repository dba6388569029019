-- What people see of jobs.

-- $1 after, $2 all, $3 member or 0, $4 user's name or '', $5 tier's name or '', $6 states or none,
-- $7 since, $8 limit. Planned anew for the filters of each call.
-- name: page_of_jobs
SELECT id FROM jobs
 WHERE id > $1::bigint
   AND ($2::boolean OR ended_at IS NULL)
   AND ($3::bigint = 0 OR member = $3::bigint)
   AND ($4::text = '' OR member IN (SELECT id FROM members WHERE name = $4::text))
   AND ($5::text = '' OR tier IN (SELECT id FROM tiers WHERE name = $5::text))
   AND (cardinality($6::text[]) = 0 OR state = ANY ($6::text[]))
   AND ($7::timestamptz IS NULL OR ended_at IS NULL OR ended_at >= $7::timestamptz)
 ORDER BY id LIMIT $8::integer
;

-- By the index whatever is estimated: OFFSET 0. A page of jobs must not read all attempts there ever were.
-- name: job_lines
SELECT j.id, j.name, j.comment, j.member, m.name, t.name, p.name, j.units, j.gpus, j.cpus, j.memory,
       j.time_limit_us, j.source, j.class, j.array_spec, j.task_count, j.state, j.hold_reason, j.counts,
       j.submitted_at, j.eligible_at, j.ended_at, j.payload, j.chdir, h.posted, h.open,
       s.simulated IS NOT NULL, coalesce(k.end_reason, ''), k.exited, k.exit_code, k.signal,
       j.dependency, j.waits_on, j.begin_at, j.night, j.deadline
  FROM jobs j
  JOIN members m ON m.id = j.member
  JOIN tiers t ON t.id = j.tier
  LEFT JOIN projects p ON p.id = j.project
  LEFT JOIN LATERAL (
   SELECT (coalesce(sum(posted) FILTER (WHERE asset = 1), 0)
           + coalesce(sum(package_cost(job, index, number)) FILTER (WHERE asset <> 1), 0))::bigint
            AS posted,
          coalesce(sum(amount - posted) FILTER (WHERE closed_at IS NULL AND asset = 1), 0)::bigint
            AS open
     FROM holds WHERE job = j.id OFFSET 0) h ON true
  LEFT JOIN LATERAL (
   SELECT n.simulated FROM attempts a JOIN nodes n ON n.id = a.node
    WHERE a.job = j.id AND n.simulated LIMIT 1) s ON true
  LEFT JOIN LATERAL (
   SELECT end_reason, exited, exit_code, signal FROM tasks
    WHERE job = j.id AND j.task_count = 1 OFFSET 0) k ON true
 WHERE j.id = ANY ($1::bigint[])
 ORDER BY j.id
;

-- name: get_job
SELECT id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source,
       class, nice, retries, no_requeue, requeue_exit, payload, array_spec, task_count, max_running,
       submitted_at, eligible_at, pending::text, held::text, cancelled::text,
       expired::text, hold_reason,
       state, ended_at, counts, dependency, waits_on, keep_invalid, name_hash, begin_at, night,
       deadline, max_cost, max_rate, charged, gate_skipped, freed_at, code, need_cuda
  FROM jobs WHERE id = $1::bigint
;

-- name: get_job_text
SELECT id, name, comment, chdir, output FROM jobs WHERE id = $1::bigint
;

-- $2: how many tasks, the lowest indices.
-- name: get_job_tasks
SELECT job, index, state, hold_reason, attempts, retries_used, infra_restarts, exited, exit_code,
       signal, end_reason, ended_at, run_agains
  FROM tasks WHERE job = $1::bigint ORDER BY index LIMIT $2::integer
;

-- name: get_job_attempts
SELECT a.job, a.index, a.number, a.node, a.member, a.project, a.tier, a.units, a.gpus, a.state,
       a.want, a.stop_reason,
       a.source, a.rate, a.weight, a.time_limit_us, a.grace_us, a.ordered_at, a.started_at,
       a.ended_at,
       a.metered_ms, a.metered_at, a.overrun_ms, a.log_bytes, a.end_reason, a.exited, a.exit_code,
       a.signal,
       a.message, a.forgotten, a.checkpoint_ms, a.peak_memory, a.uploaded_at, a.start_within_us, a.fence_us,
       a.peak_gpu_memory,
       n.name, n.simulated,
       ARRAY(SELECT g ->> 'uuid' FROM jsonb_array_elements(n.gpus) g
              WHERE (g ->> 'index')::integer = ANY (a.gpus) ORDER BY (g ->> 'index')::integer),
       CASE WHEN h.closed_at IS NULL AND h.asset = 1 THEN h.amount - h.posted ELSE 0 END,
       CASE WHEN h.asset = 1 THEN h.posted ELSE package_cost(a.job, a.index, a.number) END,
       CASE WHEN h.asset <> 1 THEN h.asset END
  FROM attempts a
  JOIN nodes n ON n.id = a.node
  LEFT JOIN holds h USING (job, index, number)
 WHERE a.job = $1::bigint
   AND a.index IN (SELECT k.index FROM tasks k WHERE k.job = $1::bigint
                    ORDER BY k.index LIMIT $2::integer)
 ORDER BY a.job, a.index, a.number
;

-- Who paid for each attempt. A charge is the payer's, overhead the lab's.
-- name: get_job_payers
SELECT t.job, t.index, t.number,
       CASE WHEN t.kind = 'overhead' THEN 'lab' ELSE owner_name(t.payer_kind, t.payer_id) END,
       sum(CASE WHEN t.kind = 'reversal' THEN -t.amount ELSE t.amount END)::bigint
  FROM transfers t
 WHERE t.job = $1::bigint AND t.kind IN ('charge', 'overhead', 'reversal') AND t.asset = 1
   AND t.index IN (SELECT k.index FROM tasks k WHERE k.job = $1::bigint
                    ORDER BY k.index LIMIT $2::integer)
 GROUP BY 1, 2, 3, 4
 ORDER BY 1, 2, 3, 4
;

-- What others that wait for it ask: when its first task began, and which tasks ended 0.
-- name: ended_jobs
SELECT j.id, j.member, j.state, j.payload, j.task_count, j.ended_at, j.name_hash,
       (SELECT min(a.started_at) FROM attempts a WHERE a.job = j.id),
       (SELECT coalesce(range_agg(int4range(t.index, t.index + 1)), '{}')::text FROM tasks t
         WHERE t.job = j.id AND t.state = 'COMPLETED')
  FROM jobs j WHERE j.id = ANY ($1::bigint[]) AND j.ended_at IS NOT NULL ORDER BY j.id
;

-- The tiers on which a member's code has succeeded since $3.
-- name: proven_tiers
SELECT DISTINCT j.tier
  FROM jobs j
 WHERE j.member = $1::bigint AND coalesce(nullif(j.code, ''), j.payload) = $2::text
   AND (j.ended_at IS NULL OR j.ended_at >= $3::timestamptz)
   AND EXISTS (SELECT FROM tasks k
                WHERE k.job = j.id AND k.state = 'COMPLETED' AND k.ended_at >= $3::timestamptz)
 ORDER BY j.tier
;

-- $1 member, $2 name, $3 payload, $4 tier. The nearest kind of likeness that there is; each task
-- counts once, with all its attempts.
-- name: usual_run
WITH mine AS (
  SELECT j.id, CASE WHEN j.name = $2::text THEN 'name' WHEN j.payload = $3::text THEN 'payload'
                    WHEN j.tier = $4::bigint THEN 'tier' END AS alike
    FROM (SELECT id, name, payload, tier FROM jobs
           WHERE member = $1::bigint AND ended_at IS NOT NULL ORDER BY id DESC LIMIT 100) j
), runs AS (
  SELECT m.alike, r.ms
    FROM mine m
   CROSS JOIN LATERAL (SELECT sum(a.metered_ms)::bigint AS ms FROM attempts a
                        WHERE a.job = m.id GROUP BY a.index ORDER BY a.index LIMIT 20) r
   WHERE m.alike IS NOT NULL AND r.ms > 0
)
SELECT alike, percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)::bigint, count(*)
  FROM runs GROUP BY alike
 ORDER BY array_position(ARRAY['name', 'payload', 'tier'], alike) LIMIT 1
;

-- $1 member, $2 name, $3 payload. How runs alike ended, by tier; the same command before the same
-- name. A task's longest attempt counts against its limit, all of them are its work.
-- name: past_runs
WITH mine AS (
  SELECT j.id, j.tier, j.units, j.memory, j.time_limit_us,
         CASE WHEN j.payload = $3::text THEN 'payload' ELSE 'name' END AS alike
    FROM (SELECT id, name, payload, tier, units, memory, time_limit_us FROM jobs
           WHERE member = $1::bigint AND ended_at IS NOT NULL ORDER BY id DESC LIMIT 100) j
   WHERE j.payload = $3::text OR j.name = $2::text
), runs AS (
  SELECT m.*, r.state, r.longest, r.ms, r.peak
    FROM mine m
   CROSS JOIN LATERAL (
    SELECT k.state, max(a.metered_ms) AS longest, sum(a.metered_ms)::bigint AS ms,
           max(a.peak_gpu_memory) AS peak
      FROM tasks k JOIN attempts a ON a.job = k.job AND a.index = k.index
     WHERE k.job = m.id GROUP BY k.index, k.state ORDER BY k.index LIMIT 20) r
   WHERE r.ms > 0
)
SELECT alike, tier, count(*), count(*) FILTER (WHERE state = 'COMPLETED'),
       count(*) FILTER (WHERE state = 'TIMEOUT'), count(*) FILTER (WHERE state = 'OUT_OF_MEMORY'),
       coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)
                FILTER (WHERE state = 'COMPLETED'), 0)::bigint,
       max(longest)::bigint,
       coalesce(max(time_limit_us) FILTER (WHERE state = 'TIMEOUT'), 0)::bigint,
       coalesce(max(units) FILTER (WHERE state = 'OUT_OF_MEMORY'), 0)::integer,
       coalesce(max(memory) FILTER (WHERE state = 'OUT_OF_MEMORY'), 0)::bigint,
       max(peak)::bigint
  FROM runs GROUP BY alike, tier ORDER BY alike DESC, tier
;

-- name: get_payload
SELECT hash, bytes FROM payloads WHERE hash = $1::text
;

-- name: events_of
SELECT e.at, e.entity, e.id, e.what, e.detail, e.actor, e.batch, m.name
  FROM events e LEFT JOIN members m ON m.id = e.actor
 WHERE e.entity = $1::text AND e.id = $2::text
 ORDER BY e.batch, e.n LIMIT $3::integer
;
