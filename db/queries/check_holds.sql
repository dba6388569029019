-- The second opinion on holds and settlements (scheduler/check); the form of answers:
-- check_transfers.sql. cost(unit-ms, rate) is div(2 * unit_ms * rate + 3600000, 7200000): integers,
-- half away from zero.

-- Exactly one hold for each attempt that was ordered.
-- name: check_hold_one
SELECT CASE WHEN a.job IS NULL THEN 'holds' ELSE 'attempts' END,
       format('%s_%s.%s', coalesce(a.job, h.job), coalesce(a.index, h.index),
              coalesce(a.number, h.number)),
       'one attempt and one hold', CASE WHEN a.job IS NULL THEN 'no attempt' ELSE 'no hold' END
  FROM attempts a FULL JOIN holds h
    ON (h.job, h.index, h.number) = (a.job, a.index, a.number)
 WHERE a.job IS NULL OR h.job IS NULL
 ORDER BY 2
 LIMIT $1
;

-- name: check_hold_amount
SELECT 'holds', format('%s_%s.%s', h.job, h.index, h.number),
       format('%s units x %s ms x %s = %s', a.units, div(a.time_limit_us, 1000),
              q.rate * 0.000001, q.amount * 0.000001),
       h.amount * 0.000001 || ''
  FROM attempts a
  JOIN holds h USING (job, index, number)
 CROSS JOIN LATERAL (SELECT CASE WHEN a.source = 'package' THEN 3600000 ELSE a.rate END AS rate) r
 CROSS JOIN LATERAL (SELECT r.rate,
                            div(2 * (a.units::numeric * div(a.time_limit_us, 1000) * r.rate)
                                + 3600000, 7200000) AS amount) q
 WHERE h.amount <> q.amount
 ORDER BY h.job, h.index, h.number
 LIMIT $1
;

-- The lines are the whole hold, numbered from 0, each above 0 (unless it was cut) and posted within
-- itself.
-- name: check_hold_lines
WITH lines AS (
  SELECT job, index, number, sum(amount::numeric) AS amount, sum(posted::numeric) AS posted,
         count(*) AS n, max(n) AS last,
         bool_or(amount < 0 OR posted < 0 OR posted > amount
                 OR (amount = 0 AND NOT EXISTS (SELECT FROM hold_cuts c
                                                 WHERE (c.job, c.index, c.number, c.n)
                                                       = (l.job, l.index, l.number, l.n)))) AS bad
    FROM hold_lines l GROUP BY job, index, number
), wrong AS (
  SELECT h.job, h.index, h.number, h.amount, h.posted, coalesce(l.amount, 0) AS line_amount,
         coalesce(l.posted, 0) AS line_posted, coalesce(l.n, 0) AS n, coalesce(l.last, -1) AS last
    FROM holds h LEFT JOIN lines l USING (job, index, number)
   WHERE h.amount <> coalesce(l.amount, 0) OR h.posted <> coalesce(l.posted, 0) OR l.bad
      OR l.last <> l.n - 1
)
SELECT 'holds', format('%s_%s.%s', job, index, number),
       format('%s held and %s posted in lines 0 to %s', line_amount * 0.000001,
       line_posted * 0.000001, n - 1),
       format('%s held, %s posted, lines to %s', amount * 0.000001, posted * 0.000001, last)
  FROM wrong
 UNION ALL
SELECT 'hold_lines', format('%s_%s.%s/%s', l.job, l.index, l.number, l.n),
       format('its part of the %s held and %s posted', w.amount * 0.000001, w.posted * 0.000001),
       format('%s held, %s posted', l.amount * 0.000001, l.posted * 0.000001)
  FROM wrong w JOIN hold_lines l USING (job, index, number)
 ORDER BY 1, 2
 LIMIT $1
;

-- A line lies on a lot that the attempt may draw on: of a package on the member's own portion, on
-- others only where it lends.
-- name: check_hold_reach
SELECT 'hold_lines', format('%s_%s.%s/%s', n.job, n.index, n.number, n.n),
       format('a lot that member %s, project %s may spend on tier %s', a.member,
              coalesce(a.project::text, 'none'), a.tier),
       coalesce(format('lot %s of %s %s, tier %s, asset %s', l.id, l.owner_kind, l.owner_id,
                       coalesce(l.tier::text, 'any'), l.asset), format('lot %s,
                       which is not there', n.lot))
  FROM hold_lines n
  JOIN attempts a USING (job, index, number)
  JOIN holds h USING (job, index, number)
  LEFT JOIN lots l ON l.id = n.lot
 WHERE l.id IS NULL OR l.asset <> h.asset OR (l.tier IS NOT NULL AND l.tier <> a.tier)
    OR NOT coalesce(CASE WHEN h.asset <> 1 THEN EXISTS (
                           SELECT FROM packages p
                             JOIN portions o ON o.package = p.id AND o.lot = l.id
                             JOIN portions m ON m.package = p.id AND m.member = a.member
                            WHERE p.id = h.asset AND (o.member = a.member OR p.borrow <> 'none'))
                    ELSE CASE l.owner_kind WHEN 'lab' THEN true WHEN 'project' THEN l.owner_id = a.project
                                      ELSE l.owner_id = a.member END END, false)
 ORDER BY n.job, n.index, n.number, n.n
 LIMIT $1
;

-- What is posted of a hold, and of its lines, is what its charges say: first line first, at most
-- what is held.
-- name: check_hold_posted
WITH charges AS (
  SELECT t.job, t.index, t.number, t.asset, sum(t.amount::numeric * s.sign) AS amount
    FROM transfers t
    JOIN accounts c ON c.id = CASE WHEN t.kind = 'charge' THEN t.credit ELSE t.debit END
   CROSS JOIN LATERAL (SELECT CASE WHEN t.kind = 'charge' THEN 1 ELSE -1 END AS sign) s
   WHERE t.kind IN ('charge', 'reversal') AND c.kind = 'spent'
   GROUP BY 1, 2, 3, 4
)
SELECT 'holds', format('%s_%s.%s', h.job, h.index, h.number),
       format('%s charged, at most %s', coalesce(c.amount, 0) * 0.000001, h.amount * 0.000001),
       h.posted * 0.000001 || ' posted'
  FROM holds h LEFT JOIN charges c USING (job, index, number, asset)
 WHERE h.posted <> coalesce(c.amount, 0) OR h.posted > h.amount
 ORDER BY h.job, h.index, h.number
 LIMIT $1
;

-- name: check_hold_line_posted
WITH charges AS (
  SELECT t.job, t.index, t.number, l.id AS lot,
         sum(CASE WHEN t.kind = 'charge' THEN t.amount::numeric ELSE -t.amount END) AS amount
    FROM transfers t
    JOIN lots l ON l.account = CASE WHEN t.kind = 'charge' THEN t.debit ELSE t.credit END
   WHERE t.kind IN ('charge', 'reversal')
   GROUP BY 1, 2, 3, 4
), lines AS (
  SELECT n.*, sum(n.posted::numeric) OVER (PARTITION BY n.job, n.index, n.number, n.lot) AS of_lot,
         lag(n.amount - n.posted, 1, 0::bigint)
           OVER (PARTITION BY n.job, n.index, n.number ORDER BY n.n) AS left_before
    FROM hold_lines n
)
SELECT 'hold_lines', format('%s_%s.%s/%s', n.job, n.index, n.number, n.n),
       format('%s charged to lot %s, the lines before it used up', coalesce(c.amount,
       0) * 0.000001, n.lot),
       format('%s posted, %s left in the line before', n.of_lot * 0.000001,
       n.left_before * 0.000001)
  FROM lines n LEFT JOIN charges c USING (job, index, number, lot)
 WHERE n.of_lot <> coalesce(c.amount, 0) OR (n.posted > 0 AND n.left_before > 0)
 ORDER BY n.job, n.index, n.number, n.n
 LIMIT $1
;

-- A hold is taken when its attempt is ordered, open until it ends, and then closed once: voided
-- where nothing ran and nothing was charged, else settled. It is in the asset of its source: money,
-- or the unit-time of a package of the tier.
-- name: check_hold_state
SELECT 'holds', format('%s_%s.%s', h.job, h.index, h.number),
       format('%s from %s to %s for %s in asset %s', w.state, a.ordered_at,
              coalesce(a.ended_at::text, 'open'), coalesce(nullif(a.end_reason, ''), 'nothing'),
              coalesce(w.asset::text, 'of a package of tier ' || a.tier)),
       format('%s from %s to %s for %s in asset %s', h.state, h.at, coalesce(h.closed_at::text,
       'open'),
              coalesce(nullif(h.reason, ''), 'nothing'), h.asset)
  FROM attempts a
  JOIN holds h USING (job, index, number)
 CROSS JOIN LATERAL (
   SELECT CASE WHEN a.state <> 'ENDED' THEN 'open'
               WHEN a.metered_ms = 0
                    AND NOT EXISTS (SELECT FROM transfers t WHERE t.kind = 'charge'
                                       AND (t.job, t.index, t.number) = (h.job, h.index, h.number))
               THEN 'voided' ELSE 'settled' END AS state,
          CASE WHEN a.source = 'package'
               THEN (SELECT p.id FROM packages p WHERE p.id = h.asset AND p.tier = a.tier)
               ELSE 1 END AS asset) w
 WHERE (h.state, h.at, h.closed_at, h.reason, h.asset)
       IS DISTINCT FROM (w.state, a.ordered_at, a.ended_at, a.end_reason, w.asset)
 ORDER BY h.job, h.index, h.number
 LIMIT $1
;

-- One settlement for each ended attempt, none for others.
-- name: check_settlement_one
SELECT CASE WHEN s.job IS NULL THEN 'attempts' ELSE 'settlements' END,
       format('%s_%s.%s', coalesce(a.job, s.job), coalesce(a.index, s.index),
              coalesce(a.number, s.number)),
       CASE WHEN s.job IS NULL THEN 'a settlement' ELSE 'an attempt that has ended' END,
       CASE WHEN s.job IS NULL THEN 'none' ELSE coalesce(a.state, 'none') END
  FROM (SELECT * FROM attempts WHERE state = 'ENDED') a
  FULL JOIN settlements s ON (s.job, s.index, s.number) = (a.job, a.index, a.number)
 WHERE a.job IS NULL OR s.job IS NULL
 ORDER BY 2
 LIMIT $1
;

-- Who pays, by the rule that stands in the settlement (semantics.md 8): the member for what ran
-- within the limit and before the overrun, the lab for the rest; or the member up to the last
-- checkpoint that the attempt wrote, if it wrote one; or the lab for all; nobody for what was
-- withdrawn; on a package in its unit-time. The member's own end has no other rule.
-- name: check_settlement_payer
WITH due AS (
  SELECT a.*, s.payer,
         CASE WHEN a.end_reason = 'Withdrawn' THEN s.payer = 'nobody'
              WHEN a.end_reason IN ('Exited', 'TimeLimit', 'OutOfMemory', 'CancelledByUser',
                                    'RunAgain', 'Budget', 'IdleGuard') THEN s.payer = 'member'
              ELSE s.payer <> 'nobody' END AS may_pay,
         a.units * a.metered_ms::numeric AS all_ms,
         a.units * CASE WHEN s.payer IN ('lab', 'nobody') THEN 0
                        WHEN s.payer = 'checkpoint' AND a.checkpoint_ms > 0
                        THEN least(w.own_ms, a.checkpoint_ms) ELSE w.own_ms END AS own_ms,
         CASE WHEN a.source = 'package' THEN 3600000 ELSE a.rate END AS by_rate
    FROM attempts a
    JOIN settlements s USING (job, index, number)
   CROSS JOIN LATERAL (SELECT least(a.metered_ms::numeric - a.overrun_ms,
                                    div(a.time_limit_us, 1000)) AS own_ms) w
   WHERE a.state = 'ENDED'
), cost AS (
  SELECT d.*, div(2 * all_ms * by_rate + 3600000, 7200000) AS all_cost,
         div(2 * own_ms * by_rate + 3600000, 7200000) AS own_cost FROM due d
), shares AS (
  SELECT c.*, own_cost AS charged,
         CASE WHEN payer = 'nobody' THEN 0 ELSE all_cost - own_cost END AS lab
    FROM cost c
)
SELECT 'settlements', format('%s_%s.%s', s.job, s.index, s.number),
       format('%s, %s pays: %s to the member, %s to the lab', x.end_reason, x.payer,
              x.charged * 0.000001, x.lab * 0.000001),
       format('%s to the member, %s to the lab', s.charged * 0.000001, s.lab * 0.000001)
  FROM settlements s
  JOIN shares x USING (job, index, number)
  JOIN holds h USING (job, index, number)
 WHERE NOT x.may_pay OR s.charged <> x.charged OR s.lab <> x.lab OR s.charged > h.amount
 ORDER BY s.job, s.index, s.number
 LIMIT $1
;

-- A settlement is made at the end, of the last meter.
-- name: check_settlement_meter
SELECT 'settlements', format('%s_%s.%s', s.job, s.index, s.number),
       format('%s ms at %s', a.metered_ms, a.ended_at), format('%s ms at %s', s.metered_ms, s.at)
  FROM settlements s
  JOIN attempts a USING (job, index, number)
 WHERE a.state = 'ENDED' AND (s.metered_ms <> a.metered_ms OR s.at <> a.ended_at)
 ORDER BY s.job, s.index, s.number
 LIMIT $1
;

-- The entries of an attempt sum to its settlement, and their unit-time to its meter; what hours of
-- a package cost stands beside them. What people change of it later stands beside that: the
-- settlement is as it was.
-- name: check_settlement_entries
WITH entries AS (
  SELECT t.job, t.index, t.number,
         CASE WHEN t.kind = 'overhead' OR c.kind = 'external' THEN 'lab' ELSE 'member' END AS share,
         sum(CASE WHEN t.kind = 'reversal' THEN -t.amount::numeric ELSE t.amount END) AS amount,
         sum(CASE WHEN t.kind = 'reversal' THEN -t.unit_ms::numeric ELSE t.unit_ms END) AS unit_ms
    FROM transfers t JOIN accounts c ON c.id = t.credit
   WHERE t.job IS NOT NULL AND t.kind NOT IN ('refund', 'correct')
     AND (t.asset = 1) = (t.source <> 'package')
   GROUP BY 1, 2, 3, 4
), parts AS (
  SELECT s.job, s.index, s.number, p.share, p.amount, w.lab_pays,
         CASE WHEN p.amount = 0 THEN 0
              WHEN p.share = 'member' THEN w.own_ms
              ELSE a.units * a.metered_ms::numeric - w.own_ms END AS unit_ms
    FROM settlements s
    JOIN attempts a USING (job, index, number)
   CROSS JOIN LATERAL (SELECT least(a.metered_ms::numeric - a.overrun_ms,
                                    div(a.time_limit_us, 1000)) AS within_ms,
                              s.payer IN ('lab', 'nobody') AS lab_pays) i
   CROSS JOIN LATERAL (SELECT i.lab_pays,
                              a.units * CASE WHEN i.lab_pays THEN 0
                                             WHEN s.payer = 'checkpoint' AND a.checkpoint_ms > 0
                                             THEN least(i.within_ms, a.checkpoint_ms)
                                             ELSE i.within_ms END AS own_ms) w
   CROSS JOIN LATERAL (VALUES ('member', s.charged), ('lab', s.lab)) AS p (share, amount)
), wrong AS (
  SELECT p.*, coalesce(e.amount, 0) AS found, coalesce(e.unit_ms, 0) AS found_ms
    FROM parts p LEFT JOIN entries e USING (job, index, number, share)
   WHERE p.amount <> coalesce(e.amount, 0)
      OR (p.unit_ms <> coalesce(e.unit_ms, 0) AND (p.share = 'lab' OR NOT p.lab_pays))
)
SELECT 'settlements', format('%s_%s.%s', job, index, number),
       format('%s to the %s in %s unit-ms', amount * 0.000001, share, unit_ms),
       format('entries of %s in %s unit-ms', found * 0.000001, found_ms)
  FROM wrong
 UNION ALL
SELECT 'transfers', t.id::text,
       format('its part of the %s in %s unit-ms of %s_%s.%s', w.amount * 0.000001, w.unit_ms,
       w.job, w.index,
              w.number),
       format('%s in %s unit-ms', t.amount * 0.000001, t.unit_ms)
  FROM wrong w
  JOIN transfers t USING (job, index, number)
  JOIN accounts c ON c.id = t.credit
 WHERE w.share = CASE WHEN t.kind = 'overhead' OR c.kind = 'external' THEN 'lab' ELSE 'member' END
   AND t.kind NOT IN ('refund', 'correct') AND (t.asset = 1) = (t.source <> 'package')
 ORDER BY 1, 2
 LIMIT $1
;
