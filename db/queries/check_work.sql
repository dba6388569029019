-- The second opinion on attempts and tasks (scheduler/check); the form of answers:
-- check_transfers.sql.

-- The rate of an attempt is the one that stood in the table when it was ordered; of a change at that
-- very instant either side. On a package it is what an hour of it costs.
-- name: check_attempt_rate
SELECT 'attempts', format('%s_%s.%s', a.job, a.index, a.number),
       coalesce(format('%s of tier %s, %s since %s', r.rate * 0.000001, a.tier, a.source, r.valid_from),
                format('a rate of tier %s, %s', a.tier, a.source)),
       format('%s, ordered at %s', a.rate * 0.000001, a.ordered_at)
  FROM attempts a
  LEFT JOIN LATERAL (SELECT rate, valid_from FROM rates r
                      WHERE r.tier = a.tier AND r.source = a.source AND r.valid_from <= a.ordered_at
                        AND a.source <> 'package'
                      UNION ALL
                     SELECT div(2 * p.price::numeric * 3600000 + p.total_ms, 2 * p.total_ms::numeric),
                            p.bought_at
                       FROM holds h JOIN packages p ON p.id = h.asset
                      WHERE a.source = 'package'
                        AND (h.job, h.index, h.number) = (a.job, a.index, a.number)
                      ORDER BY 2 DESC LIMIT 1) r ON true
 WHERE r.rate IS DISTINCT FROM a.rate
   AND a.rate IS DISTINCT FROM (SELECT b.rate FROM rates b
                                 WHERE b.tier = a.tier AND b.source = a.source
                                   AND b.valid_from < a.ordered_at AND r.valid_from = a.ordered_at
                                 ORDER BY b.valid_from DESC LIMIT 1)
 ORDER BY a.job, a.index, a.number
 LIMIT $1
;

-- What an attempt copies of its job is the job's, but that one that waits again may have been given
-- another tier; what its entries say of it is so; it is paid by the source that its job asked for.
-- name: check_attempt_copy
SELECT 'attempts', format('%s_%s.%s', a.job, a.index, a.number),
       coalesce(format('member %s project %s tier %s, %s units, %s gpus', j.member,
                       coalesce(j.project::text, 'none'), j.tier, j.units, j.gpus), 'a job'),
       format('member %s project %s tier %s, %s units, %s gpus', a.member,
              coalesce(a.project::text, 'none'), a.tier, a.units, cardinality(a.gpus))
  FROM attempts a LEFT JOIN jobs j ON j.id = a.job
 WHERE (j.member, j.project) IS DISTINCT FROM (a.member, a.project)
    OR ((j.tier, j.units, j.gpus) IS DISTINCT FROM (a.tier, a.units, cardinality(a.gpus))
        AND (a.ended_at IS NULL
             OR NOT (a.ended_at < (SELECT min(e.at) FROM events e)
                     OR EXISTS (SELECT FROM events e
                                 WHERE e.entity = 'job' AND e.id = a.job::text AND e.what = 'edited'
                                   AND e.detail LIKE 'tier %' AND e.at >= a.ended_at))))
 UNION ALL
SELECT DISTINCT 'attempts', format('%s_%s.%s', a.job, a.index, a.number),
       format('node %s, %s as in transfer %s', t.node, t.source, t.id),
       format('node %s, %s', a.node, a.source)
  FROM attempts a JOIN transfers t USING (job, index, number)
 WHERE (t.node, t.source) IS DISTINCT FROM (a.node, a.source)
 UNION ALL
SELECT x.tab, x.key, format('a source as asked for: %s', j.source), a.source
  FROM attempts a JOIN jobs j ON j.id = a.job
 CROSS JOIN LATERAL (VALUES ('attempts', format('%s_%s.%s', a.job, a.index, a.number)),
                            ('jobs', j.id::text)) AS x (tab, key)
 WHERE a.source <> j.source AND NOT (j.source = 'any' AND a.source <> 'trial')
 ORDER BY 2
 LIMIT $1
;

-- Attempts of a task are numbered 1 to n, one after the other: only the last may be open.
-- name: check_attempt_numbers
SELECT 'attempts', format('%s_%s.%s', a.job, a.index, a.number),
       format('number %s, ordered after %s', a.before + 1, coalesce(a.ended_before::text,
       'nothing')),
       format('number %s, ordered at %s', a.number, a.ordered_at)
  FROM (SELECT job, index, number, ordered_at,
               lag(number, 1, 0) OVER task AS before, lag(ended_at) OVER task AS ended_before
          FROM attempts WINDOW task AS (PARTITION BY job, index ORDER BY number)) a
 WHERE a.number <> a.before + 1
    OR (a.before > 0 AND (a.ended_before IS NULL OR a.ended_before > a.ordered_at))
 ORDER BY a.job, a.index, a.number
 LIMIT $1
;

-- Times follow each other; ENDED, an end and an end reason go together; an exit is set only when it
-- is known; what was withdrawn has never run; what ended is wanted no more.
-- name: check_attempt_end
SELECT 'attempts', format('%s_%s.%s', a.job, a.index, a.number),
       'ordered <= started <= ended; ENDED with an end and a reason; an exit where known',
       format('%s, ordered %s, started %s, ended %s, %s, exit %s%s:%s, wanted: %s%s', a.state,
       a.ordered_at,
              coalesce(a.started_at::text, 'never'), coalesce(a.ended_at::text, 'never'),
              coalesce(nullif(a.end_reason, ''), 'no reason'),
              CASE WHEN a.exited THEN '' ELSE 'unknown ' END, a.exit_code, a.signal, a.want,
              CASE WHEN a.stop_reason = '' THEN '' ELSE ' for ' || a.stop_reason END)
  FROM attempts a CROSS JOIN leader
 WHERE (a.state = 'ENDED') <> (a.ended_at IS NOT NULL)
    OR (a.state = 'ENDED') <> (a.end_reason <> '')
    OR (a.state = 'ENDED') <> (a.want = 'forget')
    OR (a.state <> 'ENDED' AND (a.want = 'stop') <> (a.stop_reason <> ''))
    OR (a.state <> 'ENDED' AND (a.exited OR a.forgotten))
    OR (NOT a.exited AND (a.exit_code <> 0 OR a.signal <> 0))
    OR (a.exited AND (a.exit_code NOT BETWEEN 0 AND 255 OR a.signal NOT BETWEEN 0 AND 64))
    OR (a.end_reason = 'Exited' AND NOT a.exited)
    OR (a.end_reason = 'Withdrawn' AND (a.started_at IS NOT NULL OR a.metered_ms > 0 OR a.exited))
    OR (a.state = 'RUNNING' AND a.started_at IS NULL)
    OR (a.state IN ('ORDERED', 'STARTING') AND a.started_at IS NOT NULL)
    OR coalesce(a.started_at, a.ended_at, leader.core_now) < a.ordered_at
    OR coalesce(a.ended_at, leader.core_now) < coalesce(a.started_at, a.ordered_at)
 ORDER BY a.job, a.index, a.number
 LIMIT $1
;

-- The meter is bounded by the server's own times, the overrun and the checkpoint by the meter.
-- name: check_attempt_meter
SELECT 'attempts', format('%s_%s.%s', a.job, a.index, a.number),
       format('0 <= overrun, checkpoint <= metered <= %s ms', m.most),
       format('%s ms metered, %s overrun, checkpoint at %s', a.metered_ms, a.overrun_ms,
              a.checkpoint_ms)
  FROM attempts a
 CROSS JOIN leader
 CROSS JOIN LATERAL (SELECT floor(extract(epoch FROM coalesce(a.ended_at, leader.core_now)
                                                     - a.ordered_at) * 1000) AS most) m
 WHERE a.metered_ms > m.most OR a.metered_ms < 0 OR a.overrun_ms NOT BETWEEN 0 AND a.metered_ms
    OR a.checkpoint_ms NOT BETWEEN 0 AND a.metered_ms
 ORDER BY a.job, a.index, a.number
 LIMIT $1
;

-- What a job was charged in money, by its entries: refunds and corrections aside; with what is held
-- for it at most its ceiling. Only a ceiling makes an attempt's limit shorter than the job's.
-- name: check_job_charged
WITH charges AS (
  SELECT t.job, sum(CASE WHEN t.kind = 'charge' THEN t.amount::numeric ELSE -t.amount END) AS amount
    FROM transfers t JOIN accounts c ON c.id IN (t.debit, t.credit) AND c.kind = 'spent'
   WHERE t.kind IN ('charge', 'reversal') AND t.asset = 1 AND t.source <> 'package'
   GROUP BY 1
), held AS (
  SELECT job, sum(amount::numeric - posted) AS amount
    FROM holds WHERE closed_at IS NULL AND asset = 1 GROUP BY 1
)
SELECT 'jobs', j.id::text,
       format('%s charged%s', coalesce(c.amount, 0) * 0.000001,
              CASE WHEN j.max_cost > 0 THEN format(', at most %s', j.max_cost * 0.000001)
                   ELSE '' END),
       format('%s, and %s held', j.charged * 0.000001, coalesce(h.amount, 0) * 0.000001)
  FROM jobs j
  LEFT JOIN charges c ON c.job = j.id
  LEFT JOIN held h ON h.job = j.id
 WHERE j.charged <> coalesce(c.amount, 0)
    OR (j.max_cost > 0 AND j.charged + coalesce(h.amount, 0) > j.max_cost)
 ORDER BY j.id
 LIMIT $1
;

-- A task's state follows from its last attempt: live with an open one,
-- over or waiting with an ended
-- one, and terminal only as the end reason allows; an exit of 0 completes it.
-- name: check_task_state
WITH last AS (
  SELECT DISTINCT ON (job, index) job, index, state, end_reason, exited, exit_code, signal
    FROM attempts ORDER BY job, index, number DESC
), may AS (
  SELECT t.*, CASE
      WHEN a.job IS NULL THEN ARRAY['PENDING', 'HELD', 'CANCELLED', 'DEADLINE']
      WHEN a.state IN ('ORDERED', 'STARTING') THEN ARRAY['STARTING']
      WHEN a.state IN ('RUNNING', 'UNKNOWN', 'STOPPING') THEN ARRAY[a.state]
      WHEN a.end_reason = 'Exited' AND a.exited AND a.exit_code = 0 AND a.signal = 0
        THEN ARRAY['COMPLETED']
      WHEN a.end_reason IN ('TimeLimit', 'OutOfMemory', 'LaunchFailed', 'Budget', 'IdleGuard')
        THEN ARRAY[CASE a.end_reason WHEN 'TimeLimit' THEN 'TIMEOUT'
                     WHEN 'OutOfMemory' THEN 'OUT_OF_MEMORY' WHEN 'LaunchFailed' THEN 'FAILED'
                     WHEN 'Budget' THEN 'BUDGET' ELSE 'CANCELLED' END, 'PENDING', 'HELD',
                     'CANCELLED', 'DEADLINE']
      WHEN a.end_reason IN ('Exited', 'RunAgain')
        THEN ARRAY['FAILED', 'PENDING', 'HELD', 'CANCELLED', 'DEADLINE']
      WHEN a.end_reason IN ('SpotReclaim', 'Preempted', 'NodeDrain')
        THEN ARRAY['PREEMPTED', 'PENDING', 'HELD', 'CANCELLED', 'DEADLINE']
      WHEN a.end_reason IN ('CancelledByUser', 'CancelledByAdmin', 'Withdrawn')
        THEN ARRAY['CANCELLED', 'PENDING', 'HELD', 'DEADLINE']
      ELSE ARRAY['NODE_FAIL', 'PENDING', 'HELD', 'CANCELLED', 'DEADLINE'] END AS states,
    coalesce(a.state || ' ' || a.end_reason, 'no attempt') AS last
    FROM tasks t LEFT JOIN last a USING (job, index)
)
SELECT 'tasks', format('%s_%s', job, index),
       format('%s after %s', array_to_string(states, ' or '), trim(last)),
       format('%s, reason %s', state, coalesce(nullif(hold_reason, ''), 'none'))
  FROM may
 WHERE state <> ALL (states) OR (state = 'HELD') <> (hold_reason <> '')
 ORDER BY job, index
 LIMIT $1
;

-- A task tells of its attempts: how many, how the last one ended (nothing while one is open), and
-- when it was over itself.
-- name: check_task_outcome
WITH sums AS (
  SELECT job, index, count(*) AS n, max(number) AS last, max(ended_at) AS ended_at,
         count(*) FILTER (WHERE end_reason = 'Exited'
                            AND NOT (exited AND exit_code = 0 AND signal = 0)) AS failures,
         count(*) FILTER (WHERE end_reason IN ('StagingFailed', 'HardwareWrong', 'HardwareLost',
                                'NodeLost', 'NodeRebooted', 'SupervisorLost', 'DiskFull',
                                'SpotReclaim')) AS losses
    FROM attempts GROUP BY job, index
), told AS (
  SELECT t.*, j.submitted_at, j.retries, coalesce(s.n, 0) AS n, s.last, s.ended_at AS last_ended_at,
         coalesce(s.failures, 0) AS failures, coalesce(s.losses, 0) AS losses,
         coalesce(a.exited, false) AS a_exited, coalesce(a.exit_code, 0) AS a_exit_code,
         coalesce(a.signal, 0) AS a_signal, coalesce(a.end_reason, '') AS a_end_reason
    FROM tasks t
    JOIN jobs j ON j.id = t.job
    LEFT JOIN sums s USING (job, index)
    LEFT JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, s.last)
), judged AS (
  SELECT told.*, (exited, exit_code, signal, end_reason)
                 IS DISTINCT FROM (a_exited, a_exit_code, a_signal, a_end_reason) AS other_end,
         attempts <> n
         OR retries_used NOT BETWEEN 0 AND least(retries, failures)
         OR infra_restarts NOT BETWEEN 0 AND losses
         OR (ended_at IS NULL) <> (state IN ('PENDING', 'HELD', 'STARTING', 'RUNNING', 'UNKNOWN',
                                             'STOPPING'))
         OR coalesce(ended_at > leader.core_now, false)
         OR coalesce(ended_at < coalesce(last_ended_at, submitted_at), false)
         OR coalesce(ended_at <> last_ended_at AND state NOT IN ('CANCELLED', 'DEADLINE'), false) AS wrong
    FROM told CROSS JOIN leader
)
SELECT 'tasks', format('%s_%s', job, index),
       format('%s attempts, at most %s retries and %s restarts, %s exit %s%s:%s, over from %s on', n,
              least(retries, failures), losses, coalesce(nullif(a_end_reason, ''), 'no reason'),
              CASE WHEN a_exited THEN '' ELSE 'unknown ' END, a_exit_code, a_signal,
              coalesce(last_ended_at, submitted_at)),
       format('%s attempts, %s retries, %s restarts, %s exit %s%s:%s, %s at %s', attempts, retries_used,
              infra_restarts, coalesce(nullif(end_reason, ''), 'no reason'),
              CASE WHEN exited THEN '' ELSE 'unknown ' END, exit_code, signal, state,
              coalesce(ended_at::text, 'no end'))
  FROM judged WHERE wrong OR other_end
 UNION ALL
SELECT 'attempts', format('%s_%s.%s', job, index, last), 'the end that its task tells',
       format('%s exit %s%s:%s', coalesce(nullif(a_end_reason, ''), 'no reason'),
              CASE WHEN a_exited THEN '' ELSE 'unknown ' END, a_exit_code, a_signal)
  FROM judged WHERE other_end AND last IS NOT NULL
 ORDER BY 1, 2
 LIMIT $1
;
