-- What a batch writes: one statement a table, one array a column, in the columns' order.

-- name: write_payloads
INSERT INTO payloads (hash, bytes)
SELECT hash, bytes
  FROM unnest($1::text[], $2::bytea[])
    AS r(hash, bytes)
    ON CONFLICT DO NOTHING
;

-- name: write_jobs
INSERT INTO jobs (id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us,
                  source, class,
                  nice, retries, no_requeue, requeue_exit, payload, array_spec,
                  task_count, max_running, submitted_at, eligible_at, pending, held,
                  cancelled, expired, hold_reason, state, ended_at, counts, dependency, waits_on, keep_invalid, name_hash, begin_at, night, deadline, max_cost, max_rate, charged, gate_skipped, code)
SELECT id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source,
       class, nice, retries, no_requeue, requeue_exit::integer[], payload, array_spec, task_count,
       max_running, submitted_at, eligible_at, pending::int4multirange,
       held::int4multirange, cancelled::int4multirange, expired::int4multirange, hold_reason, state, ended_at,
       counts::integer[],
       dependency, waits_on, keep_invalid, name_hash, begin_at, night, deadline, max_cost, max_rate, charged, gate_skipped, code
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[],
              $6::integer[], $7::integer[], $8::bigint[], $9::bigint[],
              $10::bigint[], $11::text[], $12::text[], $13::integer[], $14::integer[],
              $15::boolean[], $16::text[], $17::text[], $18::text[], $19::integer[],
              $20::integer[], $21::timestamptz[], $22::timestamptz[], $23::text[],
              $24::text[], $25::text[], $26::text[], $27::text[], $28::text[],
              $29::timestamptz[], $30::text[],
              $31::text[], $32::text[], $33::boolean[], $34::bigint[], $35::timestamptz[], $36::boolean[], $37::timestamptz[], $38::bigint[], $39::bigint[], $40::bigint[], $41::boolean[],
              $42::text[])
    AS r(id, member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source,
          class, nice, retries, no_requeue, requeue_exit, payload, array_spec, task_count,
          max_running, submitted_at, eligible_at, pending, held, cancelled, expired,
          hold_reason, state, ended_at, counts, dependency, waits_on, keep_invalid, name_hash, begin_at, night, deadline, max_cost, max_rate, charged, gate_skipped, code)
    ON CONFLICT (id) DO UPDATE
   SET (member, project, tier, units, gpus, cpus, memory, time_limit_us, grace_us, source,
        class, nice, retries, no_requeue, requeue_exit, payload, array_spec, task_count, max_running,
        submitted_at, eligible_at, pending, held, cancelled, expired, hold_reason, state, ended_at,
        counts,
        dependency, waits_on, keep_invalid, name_hash, begin_at, night, deadline, max_cost, max_rate, charged, gate_skipped, code)
     = (excluded.member, excluded.project, excluded.tier, excluded.units, excluded.gpus,
        excluded.cpus, excluded.memory, excluded.time_limit_us, excluded.grace_us,
        excluded.source, excluded.class, excluded.nice, excluded.retries, excluded.no_requeue,
        excluded.requeue_exit, excluded.payload, excluded.array_spec, excluded.task_count,
        excluded.max_running, excluded.submitted_at, excluded.eligible_at, excluded.pending,
        excluded.held, excluded.cancelled, excluded.expired, excluded.hold_reason, excluded.state,
        excluded.ended_at, excluded.counts,
        excluded.dependency, excluded.waits_on, excluded.keep_invalid, excluded.name_hash, excluded.begin_at, excluded.night, excluded.deadline, excluded.max_cost, excluded.max_rate, excluded.charged, excluded.gate_skipped,
        excluded.code)
;

-- name: write_job_texts
INSERT INTO job_texts (job, name, comment, chdir, output)
SELECT job, name, comment, chdir, output
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
    AS r(job, name, comment, chdir, output)
    ON CONFLICT (job) DO UPDATE
   SET (name, comment, chdir, output)
     = (excluded.name, excluded.comment, excluded.chdir, excluded.output)
;

-- name: write_tasks
INSERT INTO tasks (job, index, state, hold_reason, attempts, retries_used, infra_restarts, exited,
                   exit_code, signal, end_reason, ended_at, run_agains)
SELECT job, index, state, hold_reason, attempts, retries_used, infra_restarts, exited, exit_code,
       signal, end_reason, ended_at, run_agains
  FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::integer[], $6::integer[],
              $7::integer[], $8::boolean[], $9::integer[], $10::integer[],
              $11::text[], $12::timestamptz[], $13::integer[])
    AS r(job, index, state, hold_reason, attempts, retries_used, infra_restarts, exited,
          exit_code, signal, end_reason, ended_at, run_agains)
    ON CONFLICT (job, index) DO UPDATE
   SET (state, hold_reason, attempts, retries_used, infra_restarts, exited, exit_code, signal,
        end_reason, ended_at, run_agains)
     = (excluded.state, excluded.hold_reason, excluded.attempts, excluded.retries_used,
        excluded.infra_restarts, excluded.exited, excluded.exit_code, excluded.signal,
        excluded.end_reason, excluded.ended_at)
;

-- name: write_attempts
INSERT INTO attempts (job, index, number, node, member, project, tier, units, gpus, state, want,
                      stop_reason, source, rate, weight, time_limit_us, grace_us,
                      ordered_at, started_at, ended_at, metered_ms, metered_at,
                      overrun_ms, log_bytes, end_reason, exited, exit_code, signal,
                      message, forgotten, checkpoint_ms)
SELECT job, index, number, node, member, project, tier, units, gpus::integer[], state, want,
       stop_reason, source, rate, weight, time_limit_us, grace_us, ordered_at, started_at,
       ended_at, metered_ms, metered_at, overrun_ms, log_bytes, end_reason, exited,
       exit_code, signal, message, forgotten,
       checkpoint_ms
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[],
              $6::bigint[], $7::bigint[], $8::integer[], $9::text[], $10::text[],
              $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[],
              $16::bigint[], $17::bigint[], $18::timestamptz[], $19::timestamptz[],
              $20::timestamptz[], $21::bigint[], $22::timestamptz[], $23::bigint[],
              $24::bigint[], $25::text[], $26::boolean[], $27::integer[],
              $28::integer[], $29::text[], $30::boolean[],
              $31::bigint[])
    AS r(job, index, number, node, member, project, tier, units, gpus, state, want,
          stop_reason, source, rate, weight, time_limit_us, grace_us, ordered_at,
          started_at, ended_at, metered_ms, metered_at, overrun_ms, log_bytes,
          end_reason, exited, exit_code, signal, message, forgotten, checkpoint_ms)
    ON CONFLICT (job, index, number) DO UPDATE
   SET (node, member, project, tier, units, gpus, state, want, stop_reason, source, rate, weight,
        time_limit_us, grace_us, ordered_at, started_at, ended_at, metered_ms, metered_at,
        overrun_ms, log_bytes, end_reason, exited, exit_code, signal, message, forgotten,
        checkpoint_ms)
     = (excluded.node, excluded.member, excluded.project, excluded.tier, excluded.units,
        excluded.gpus, excluded.state, excluded.want, excluded.stop_reason, excluded.source,
        excluded.rate, excluded.weight, excluded.time_limit_us, excluded.grace_us,
        excluded.ordered_at, excluded.started_at, excluded.ended_at, excluded.metered_ms,
        excluded.metered_at, excluded.overrun_ms, excluded.log_bytes, excluded.end_reason,
        excluded.exited, excluded.exit_code, excluded.signal, excluded.message,
        excluded.forgotten,
        excluded.checkpoint_ms)
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
WITH r AS (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::boolean[],
                       $6::bigint[], $7::bigint[])
    AS r(member, key, body_hash, at, money, first, count)
), written AS (
  INSERT INTO requests (member, key, body_hash, at, money, first, count)
  SELECT member, key, body_hash, at, money, first, count FROM r
      ON CONFLICT (member, key) DO UPDATE
     SET (body_hash, at, money, first, count)
       = (excluded.body_hash, excluded.at, excluded.money, excluded.first, excluded.count)
   WHERE NOT requests.money AND requests.at <= excluded.at - interval '24 hours'
  RETURNING member, key
)
SELECT refuse(format('request %s of member %s is known', r.key, r.member))
  FROM r WHERE NOT EXISTS (SELECT FROM written w WHERE w.member = r.member AND w.key = r.key)
;
