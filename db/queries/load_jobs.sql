-- What core loads: the live part of each table ($1: core's time at the last batch).

-- name: load_jobs
SELECT id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source,
       class, nice, retries, no_requeue, requeue_exit, payload, array_spec, task_count, max_running,
       submitted_at, eligible_at, pending::text, held::text, cancelled::text,
       expired::text, hold_reason,
       state, ended_at, counts,
       dependency, waits_on, keep_invalid, name_hash, begin_at, night, deadline, max_cost, max_rate,
       charged, gate_skipped, freed_at, code, need_cuda
  FROM jobs
 WHERE ended_at IS NULL OR ended_at > $1::timestamptz - interval '10 minutes'
 ORDER BY id
;

-- name: load_tasks
SELECT job, index, state, hold_reason, attempts, retries_used, infra_restarts, exited, exit_code,
       signal, end_reason, ended_at, run_agains
  FROM tasks
 WHERE job IN (SELECT id FROM jobs
                WHERE ended_at IS NULL OR ended_at > $1::timestamptz - interval '10 minutes')
 ORDER BY job, index
;

-- name: load_attempts
SELECT job, index, number, node, member, project, tier, units, gpus, state, want, stop_reason,
       source, rate, weight, time_limit_us, grace_us, ordered_at, started_at, ended_at,
       metered_ms, metered_at, overrun_ms, log_bytes, end_reason, exited, exit_code, signal,
       message, forgotten,
       checkpoint_ms, peak_memory, uploaded_at, start_within_us, fence_us, peak_gpu_memory
  FROM attempts
 WHERE NOT forgotten
    OR job IN (SELECT id FROM jobs
                WHERE ended_at IS NULL OR ended_at > $1::timestamptz - interval '10 minutes')
 ORDER BY job, index, number
;

-- name: load_requests
SELECT member, key, body_hash, at, money, first, count
  FROM requests
 WHERE money OR at > $1::timestamptz - interval '48 hours'
 ORDER BY member, key
;
