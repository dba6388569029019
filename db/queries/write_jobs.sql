-- What a batch writes of jobs: one statement a table, whole rows of it (whole_rows.h). The columns
-- that an INSERT names are the fields of columns_jobs.h, in their order.

-- name: write_payloads
INSERT INTO payloads (hash, bytes)
SELECT hash, bytes
  FROM unnest($1::text[], $2::bytea[])
    AS r(hash, bytes)
    ON CONFLICT DO NOTHING
;

-- Jobs that are there already, or may be.
-- name: write_jobs
INSERT INTO jobs (id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us,
                  source, class, nice, retries, no_requeue, requeue_exit, payload, array_spec,
                  task_count, max_running, submitted_at, eligible_at, pending, held, cancelled,
                  expired, hold_reason, state, ended_at, counts, dependency, waits_on,
                  keep_invalid, name_hash, begin_at, night, deadline, max_cost, max_rate, charged,
                  gate_skipped, freed_at, code, need_cuda)
SELECT id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source,
       class, nice, retries, no_requeue, requeue_exit, payload, array_spec, task_count,
       max_running, submitted_at, eligible_at, pending, held, cancelled, expired, hold_reason,
       state, ended_at, counts, dependency, waits_on, keep_invalid, name_hash, begin_at, night,
       deadline, max_cost, max_rate, charged, gate_skipped, freed_at, code, need_cuda
  FROM unnest($1::jobs[])
    ON CONFLICT (id) DO UPDATE
   SET (member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source, class,
        nice, retries, no_requeue, requeue_exit, payload, array_spec, task_count, max_running,
        submitted_at, eligible_at, pending, held, cancelled, expired, hold_reason, state, ended_at,
        counts, dependency, waits_on, keep_invalid, name_hash, begin_at, night, deadline, max_cost,
        max_rate, charged, gate_skipped, freed_at, code, need_cuda)
     = (excluded.member, excluded.project, excluded.tier, excluded.units, excluded.gpus,
        excluded.cpus, excluded.memory, excluded.time_limit_us, excluded.grace_us, excluded.source,
        excluded.class, excluded.nice, excluded.retries, excluded.no_requeue,
        excluded.requeue_exit, excluded.payload, excluded.array_spec, excluded.task_count,
        excluded.max_running, excluded.submitted_at, excluded.eligible_at, excluded.pending,
        excluded.held, excluded.cancelled, excluded.expired, excluded.hold_reason, excluded.state,
        excluded.ended_at, excluded.counts, excluded.dependency, excluded.waits_on,
        excluded.keep_invalid, excluded.name_hash, excluded.begin_at, excluded.night,
        excluded.deadline, excluded.max_cost, excluded.max_rate, excluded.charged,
        excluded.gate_skipped, excluded.freed_at, excluded.code, excluded.need_cuda)
;

-- Jobs that no batch has written, with their texts.
-- name: add_jobs
INSERT INTO jobs (id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us,
                  source, class, nice, retries, no_requeue, requeue_exit, payload, array_spec,
                  task_count, max_running, submitted_at, eligible_at, pending, held, cancelled,
                  expired, hold_reason, state, ended_at, counts, dependency, waits_on,
                  keep_invalid, name_hash, begin_at, night, deadline, max_cost, max_rate, charged,
                  gate_skipped, freed_at, code, need_cuda, name, comment, chdir, output)
SELECT id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source,
       class, nice, retries, no_requeue, requeue_exit, payload, array_spec, task_count,
       max_running, submitted_at, eligible_at, pending, held, cancelled, expired, hold_reason,
       state, ended_at, counts, dependency, waits_on, keep_invalid, name_hash, begin_at, night,
       deadline, max_cost, max_rate, charged, gate_skipped, freed_at, code, need_cuda, name, comment, chdir,
       output
  FROM unnest($1::jobs[])
;

-- name: write_job_texts
WITH r AS (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
    AS r(job, name, comment, chdir, output)
), written AS (
  UPDATE jobs j SET (name, comment, chdir, output) = (r.name, r.comment, r.chdir, r.output)
    FROM r WHERE j.id = r.job
  RETURNING j.id
)
SELECT refuse(format('job %s, which texts refer to, is not there', r.job))
  FROM r WHERE NOT EXISTS (SELECT FROM written w WHERE w.id = r.job)
;

-- name: write_tasks
INSERT INTO tasks (job, index, state, hold_reason, attempts, retries_used, infra_restarts, exited,
                   exit_code, signal, end_reason, ended_at, run_agains)
SELECT job, index, state, hold_reason, attempts, retries_used, infra_restarts, exited, exit_code,
       signal, end_reason, ended_at, run_agains
  FROM unnest($1::tasks[])
    ON CONFLICT (job, index) DO UPDATE
   SET (state, hold_reason, attempts, retries_used, infra_restarts, exited, exit_code, signal,
        end_reason, ended_at, run_agains)
     = (excluded.state, excluded.hold_reason, excluded.attempts, excluded.retries_used,
        excluded.infra_restarts, excluded.exited, excluded.exit_code, excluded.signal,
        excluded.end_reason, excluded.ended_at, excluded.run_agains)
;

-- name: write_attempts
INSERT INTO attempts (job, index, number, node, member, project, tier, units, gpus, state, want,
                      stop_reason, source, rate, weight, time_limit_us, grace_us, ordered_at,
                      started_at, ended_at, metered_ms, metered_at, overrun_ms, log_bytes,
                      end_reason, exited, exit_code, signal, message, forgotten, checkpoint_ms,
                      peak_memory, uploaded_at, start_within_us, fence_us, peak_gpu_memory)
SELECT job, index, number, node, member, project, tier, units, gpus, state, want, stop_reason,
       source, rate, weight, time_limit_us, grace_us, ordered_at, started_at, ended_at, metered_ms,
       metered_at, overrun_ms, log_bytes, end_reason, exited, exit_code, signal, message,
       forgotten, checkpoint_ms, peak_memory, uploaded_at, start_within_us, fence_us, peak_gpu_memory
  FROM unnest($1::attempts[])
    ON CONFLICT (job, index, number) DO UPDATE
   SET (node, member, project, tier, units, gpus, state, want, stop_reason, source, rate, weight,
        time_limit_us, grace_us, ordered_at, started_at, ended_at, metered_ms, metered_at,
        overrun_ms, log_bytes, end_reason, exited, exit_code, signal, message, forgotten,
        checkpoint_ms, peak_memory, uploaded_at, start_within_us, fence_us, peak_gpu_memory)
     = (excluded.node, excluded.member, excluded.project, excluded.tier, excluded.units,
        excluded.gpus, excluded.state, excluded.want, excluded.stop_reason, excluded.source,
        excluded.rate, excluded.weight, excluded.time_limit_us, excluded.grace_us,
        excluded.ordered_at, excluded.started_at, excluded.ended_at, excluded.metered_ms,
        excluded.metered_at, excluded.overrun_ms, excluded.log_bytes, excluded.end_reason,
        excluded.exited, excluded.exit_code, excluded.signal, excluded.message, excluded.forgotten,
        excluded.checkpoint_ms, excluded.peak_memory, excluded.uploaded_at, excluded.start_within_us, excluded.fence_us,
        excluded.peak_gpu_memory)
;

-- A set that is sent again is the same or a newer one.
-- name: write_file_sets
INSERT INTO file_sets (job, index, number, kind, generation, root, files, bytes, kept_at)
SELECT job, index, number, kind, generation, root, files, bytes, kept_at
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::bigint[], $6::text[],
              $7::bigint[], $8::bigint[], $9::timestamptz[])
    AS r(job, index, number, kind, generation, root, files, bytes, kept_at)
    ON CONFLICT (job, index, number, kind, generation) DO UPDATE
   SET (root, files, bytes, kept_at)
     = (excluded.root, excluded.files, excluded.bytes, excluded.kept_at)
;

-- Of tasks that have just kept something the newest two generations stay.
-- name: drop_old_generations
DELETE FROM file_sets f
 USING (SELECT s.job, s.index, s.number, s.generation,
               row_number() OVER (PARTITION BY s.job, s.index
                                  ORDER BY s.number DESC, s.generation DESC) AS age
          FROM file_sets s
          JOIN (SELECT DISTINCT job, index
                  FROM unnest($1::bigint[], $2::integer[]) AS r(job, index)) t USING (job, index)
         WHERE s.kind = 'checkpoint') o
 WHERE f.kind = 'checkpoint' AND o.age > 2
   AND (f.job, f.index, f.number, f.generation) = (o.job, o.index, o.number, o.generation)
;

-- An expired key is replaced; one that stands refuses the batch: core should have answered it.
-- name: write_requests
INSERT INTO requests (member, key, body_hash, at, money, first, count)
SELECT member, key, body_hash, at, money, first, count
  FROM unnest($1::requests[])
    ON CONFLICT (member, key) DO UPDATE
   SET (body_hash, at, money, first, count)
     = (excluded.body_hash, excluded.at, excluded.money, excluded.first, excluded.count)
 WHERE (NOT requests.money AND requests.at <= excluded.at - interval '24 hours')
    OR refuse(format('request %s of member %s is known', requests.key, requests.member))
;
