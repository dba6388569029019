-- What the second opinion reads in order (scheduler/check): cursors, so that books of any size pass
-- through, and small tables whole.

-- name: session_check
SET TIME ZONE 'UTC'; SET client_min_messages = warning; SET jit = off;
SET default_transaction_read_only = on; SET plan_cache_mode = force_custom_plan;

-- name: check_counts
SELECT (SELECT count(*) FROM transfers), (SELECT count(*) FROM attempts),
       (SELECT count(*) FROM lots),
       (SELECT count(*) FROM jobs), (SELECT core_now FROM leader)
;

-- name: check_open_jobs
DECLARE check_jobs NO SCROLL CURSOR FOR
SELECT j.id, j.array_spec, j.task_count, j.state, j.hold_reason, j.submitted_at, j.ended_at,
       j.counts,
       ARRAY(SELECT b FROM unnest(j.pending) r, LATERAL (VALUES (lower(r)),
       (upper(r))) v(b) ORDER BY b),
       ARRAY(SELECT b FROM unnest(j.held) r, LATERAL (VALUES (lower(r)),
       (upper(r))) v(b) ORDER BY b),
       ARRAY(SELECT b FROM unnest(j.cancelled) r, LATERAL (VALUES (lower(r)),
       (upper(r))) v(b) ORDER BY b),
       ARRAY(SELECT b FROM unnest(j.expired) r, LATERAL (VALUES (lower(r)),
       (upper(r))) v(b) ORDER BY b)
  FROM jobs j
 ORDER BY j.id
;

-- name: check_next_jobs
FETCH 2000 FROM check_jobs
;

-- name: check_open_tasks
DECLARE check_tasks NO SCROLL CURSOR FOR
SELECT job, index, state, ended_at FROM tasks ORDER BY job, index
;

-- name: check_next_tasks
FETCH 5000 FROM check_tasks
;

-- Everything that moves lots and what counts against limits, in the order of time. Kinds: 1 credit
-- of a lot, 2 charge, 3 end of an attempt, 4 release of a line, 5 order of an attempt, 6 line of a
-- hold, 7 debit of a lot, 8 more charged by a correction, 9 what a line gave back early. A reversal lowers what is posted of its
-- line, so that the line's release gives it back: it is no credit beside that. What is given back of
-- a charge counts against limits as a charge below zero. Of a package's hours the money that they
-- cost is left out: it is of no lot and counts against no limit. edited: the job's limit was changed
-- after the hold, or
-- too long ago to know.
-- name: check_open_moments
DECLARE check_moments NO SCROLL CURSOR FOR
SELECT * FROM (
  SELECT t.at, 1 AS what, 0::bigint AS job, 0 AS index, 0 AS number, 0 AS n, l.id AS lot, t.amount,
         0::bigint AS posted, 0::bigint AS unit_ms, NULL::bigint AS member, NULL::bigint AS project,
         NULL::bigint AS tier, 0 AS units, 0::bigint AS limit_ms, 0::bigint AS rate,
         false AS edited, 1::bigint AS asset
    FROM transfers t JOIN lots l ON l.account = t.credit WHERE t.kind <> 'reversal'
   UNION ALL
  SELECT t.at, CASE WHEN t.kind = 'correct' AND c.kind = 'spent' THEN 8 ELSE 2 END, t.job, t.index,
         t.number, 0, 0, CASE WHEN t.source = 'package' THEN 0
                              WHEN c.kind = 'spent' THEN t.amount ELSE -t.amount END, 0,
         CASE WHEN c.kind = 'spent' THEN t.unit_ms ELSE -t.unit_ms END, t.member, t.project,
         t.tier,
         0, 0, 0, false, 1
    FROM transfers t
    JOIN accounts c ON c.id = t.credit
    JOIN accounts d ON d.id = t.debit
   WHERE t.kind IN ('charge', 'reversal', 'refund', 'correct') AND t.job IS NOT NULL
     AND 'spent' IN (c.kind, d.kind) AND (t.asset = 1) = (t.source <> 'package')
   UNION ALL
  SELECT a.ended_at, 3, a.job, a.index, a.number, 0, 0, 0, 0, 0, a.member, a.project, a.tier,
         a.units,
         a.time_limit_us / 1000, a.rate, false, 1
    FROM attempts a WHERE a.ended_at IS NOT NULL
   UNION ALL
  SELECT h.closed_at, 4, n.job, n.index, n.number, n.n, n.lot, n.amount, n.posted, 0, NULL, NULL,
         NULL,
         0, 0, 0, false, h.asset
    FROM hold_lines n JOIN holds h USING (job, index, number) WHERE h.closed_at IS NOT NULL
   UNION ALL
  SELECT a.ordered_at, 5, a.job, a.index, a.number, 0, 0, 0, 0, 0, a.member, a.project, a.tier,
         a.units,
         a.time_limit_us / 1000, a.rate, false, 1
    FROM attempts a
   UNION ALL
  SELECT c.at, 9, n.job, n.index, n.number, n.n, n.lot, c.amount, 0, 0, a.member, a.project, a.tier,
         0, 0, 0, false, h.asset
    FROM hold_cuts c JOIN hold_lines n USING (job, index, number, n)
    JOIN holds h USING (job, index, number)
    JOIN attempts a USING (job, index, number)
   UNION ALL
  SELECT h.at, 6, n.job, n.index, n.number, n.n, n.lot,
         n.amount + coalesce((SELECT sum(c.amount) FROM hold_cuts c
                               WHERE (c.job, c.index, c.number, c.n)
                                     = (n.job, n.index, n.number, n.n)), 0)::bigint,
         n.posted, 0, a.member, a.project,
         a.tier, a.units, a.time_limit_us / 1000,
         a.rate,
         h.at < (SELECT min(e.at) FROM events e)
         OR EXISTS (SELECT FROM events e WHERE e.entity = 'job' AND e.id = h.job::text
                       AND e.what = 'edited' AND e.at >= h.at), h.asset
    FROM hold_lines n JOIN holds h USING (job, index, number) JOIN attempts a USING (job, index,
    number)
   UNION ALL
  SELECT t.at, 7, 0, 0, 0, 0, l.id, t.amount, 0, 0, NULL, NULL, NULL, 0, 0, 0, false, 1
    FROM transfers t JOIN lots l ON l.account = t.debit
   WHERE t.kind IN ('withdraw', 'lapse', 'transfer', 'correct')) m
 ORDER BY at, what, job, index, number, n, lot
;

-- name: check_next_moments
FETCH 5000 FROM check_moments
;

-- name: check_lots
SELECT id, owner_kind, owner_id, tier, starts_at, ends_at, credit_limit, asset FROM lots ORDER BY id
;

-- name: check_limits
SELECT id, resource, applies_to, scope_kind, scope_id, member, tier, period, unlimited, amount,
       until, starts_at, block_at
  FROM limits WHERE NOT absent ORDER BY id
;

-- name: check_periods
SELECT kind, start_at, end_at FROM periods ORDER BY kind, start_at
;

-- Limits have no history: holds made since the lab was last changed are judged by those of today.
-- name: check_limits_since
SELECT coalesce(greatest(max(at) FILTER (WHERE entity = 'lab' AND what = 'applied'), min(at)),
                'infinity')
  FROM events
;
