-- The second opinion on accounts and lots (scheduler/check); the form of answers: check_transfers.sql.

-- name: check_account_zero
SELECT 'assets', s.id::text, 'balances that sum to 0', s.balance::text
  FROM (SELECT s.id, (SELECT coalesce(sum(t.amount::numeric), 0) FROM transfers t
                        JOIN accounts c ON c.id = t.credit WHERE c.asset = s.id)
                   - (SELECT coalesce(sum(t.amount::numeric), 0) FROM transfers t
                        JOIN accounts d ON d.id = t.debit WHERE d.asset = s.id) AS balance
          FROM assets s) s
 WHERE s.balance <> 0
 ORDER BY s.id
 LIMIT $1
;

-- Each account is of an owner who may have such a one, exists, and has one of its kind; a lot's
-- account is its own.
-- name: check_account_shape
SELECT 'accounts', a.id::text,
       CASE WHEN a.kind = 'lot' THEN format('one lot of %s %s, asset %s', a.owner_kind,
       a.owner_id, a.asset)
            WHEN a.kind = 'inventory' THEN 'one package of the lab, in money'
            ELSE format('the only %s account of its owner, a %s', a.kind,
                        CASE WHEN a.kind IN ('paid_in', 'spent') THEN 'member'
                             WHEN a.kind = 'lapsed' THEN 'member, project or lab'
                             ELSE 'lab' END) END,
       CASE WHEN a.kind = 'lot'
            THEN coalesce((SELECT string_agg(format('lot %s of %s %s, asset %s', l.id, l.owner_kind,
                                                    l.owner_id, l.asset), ', ')
                             FROM lots l WHERE l.account = a.id), 'no lot')
            ELSE format('%s of %s %s', a.kind, a.owner_kind, a.owner_id) END
  FROM accounts a
 WHERE NOT EXISTS (SELECT FROM assets s WHERE s.id = a.asset)
    OR CASE a.owner_kind
         WHEN 'member' THEN NOT EXISTS (SELECT FROM members m WHERE m.id = a.owner_id)
         WHEN 'project' THEN NOT EXISTS (SELECT FROM projects p WHERE p.id = a.owner_id)
         WHEN 'lab' THEN a.owner_id <> 0
         ELSE true END
    OR CASE
         WHEN a.kind = 'lot' THEN 1 <> (SELECT count(*) FROM lots l WHERE l.account = a.id)
              OR NOT EXISTS (SELECT FROM lots l
                              WHERE (l.account, l.asset, l.owner_kind, l.owner_id)
                                  = (a.id, a.asset, a.owner_kind, a.owner_id))
         WHEN a.kind = 'inventory' THEN a.owner_kind <> 'lab' OR a.asset <> 1
              OR 1 <> (SELECT count(*) FROM packages p WHERE p.inventory = a.id)
         WHEN a.kind IN ('paid_in', 'spent') THEN a.owner_kind <> 'member'
         WHEN a.kind = 'lapsed' THEN false
         ELSE a.owner_kind <> 'lab' END
    OR (a.kind NOT IN ('lot', 'inventory')
        AND EXISTS (SELECT FROM accounts o
                     WHERE o.id < a.id AND (o.kind, o.owner_kind, o.owner_id, o.asset)
                                         = (a.kind, a.owner_kind, a.owner_id, a.asset)))
 ORDER BY a.id
 LIMIT $1
;

-- An account sees only the entries of its kind, on the side where they belong.
-- name: check_account_use
WITH may (account, side, kind) AS (VALUES
  ('lot', 'out', 'charge'), ('lot', 'out', 'withdraw'), ('lot', 'out', 'lapse'),
  ('lot', 'out', 'transfer'), ('lot', 'out', 'correct'), ('lot', 'in', 'transfer'),
  ('lot', 'in', 'correct'), ('lot', 'in', 'refund'),
  ('lot', 'in', 'deposit'), ('lot', 'in', 'reversal'),
  ('spent', 'out', 'refund'), ('inventory', 'in', 'refund'), ('overhead_other', 'in', 'refund'),
  ('spent', 'out', 'correct'), ('spent', 'in', 'correct'),
  ('paid_in', 'out', 'correct'), ('paid_in', 'in', 'correct'),
  ('external', 'out', 'correct'), ('external', 'in', 'correct'),
  ('overhead_start', 'out', 'correct'), ('overhead_start', 'in', 'correct'),
  ('overhead_node', 'out', 'correct'), ('overhead_node', 'in', 'correct'),
  ('overhead_overrun', 'out', 'correct'), ('overhead_overrun', 'in', 'correct'),
  ('overhead_other', 'out', 'correct'), ('overhead_other', 'in', 'correct'),
  ('paid_in', 'out', 'deposit'), ('paid_in', 'in', 'withdraw'),
  ('external', 'out', 'deposit'), ('external', 'out', 'overhead'),
  ('external', 'in', 'withdraw'), ('external', 'in', 'reversal'),
  ('spent', 'in', 'charge'), ('spent', 'out', 'reversal'), ('lapsed', 'in', 'lapse'),
  ('overhead_start', 'in', 'overhead'), ('overhead_start', 'out', 'reversal'),
  ('overhead_node', 'in', 'overhead'), ('overhead_node', 'out', 'reversal'),
  ('overhead_overrun', 'in', 'overhead'), ('overhead_overrun', 'out', 'reversal'),
  ('overhead_other', 'in', 'overhead'), ('overhead_other', 'out', 'reversal'),
  ('lot', 'in', 'purchase'), ('paid_in', 'out', 'purchase'), ('external', 'out', 'purchase'),
  ('inventory', 'in', 'purchase'), ('inventory', 'out', 'charge'),
  ('inventory', 'in', 'reversal'), ('inventory', 'out', 'lapse'),
  ('overhead_lapsed', 'in', 'lapse'),
  ('paid_in', 'in', 'payment'), ('paid_in', 'out', 'payment'),
  ('external', 'in', 'rental'), ('external', 'out', 'rental'),
  ('idle', 'in', 'rental'), ('idle', 'out', 'rental'),
  ('rounding', 'in', 'rental'), ('rounding', 'out', 'rental'),
  ('disk', 'in', 'rental'), ('disk', 'out', 'rental'),
  ('variance', 'in', 'rental'), ('variance', 'out', 'rental'),
  ('egress', 'in', 'rental'), ('egress', 'out', 'rental'),
  ('external', 'out', 'invoice'), ('external', 'in', 'invoice'),
  ('disk', 'in', 'invoice'), ('disk', 'out', 'invoice'),
  ('egress', 'in', 'invoice'), ('egress', 'out', 'invoice'),
  ('variance', 'in', 'invoice'), ('variance', 'out', 'invoice'), ('voucher', 'out', 'invoice'),
  ('unknown', 'in', 'invoice'), ('unknown', 'out', 'invoice'),
  ('unknown', 'in', 'explain'), ('unknown', 'out', 'explain'),
  ('idle', 'in', 'explain'), ('idle', 'out', 'explain'),
  ('disk', 'in', 'explain'), ('disk', 'out', 'explain'),
  ('egress', 'in', 'explain'), ('egress', 'out', 'explain'),
  ('rounding', 'in', 'explain'), ('rounding', 'out', 'explain'),
  ('variance', 'in', 'explain'), ('variance', 'out', 'explain'),
  ('overhead_other', 'in', 'explain'), ('overhead_other', 'out', 'explain'),
  ('spent', 'in', 'explain'), ('spent', 'out', 'explain')
), seen AS (
  SELECT debit AS id, 'out' AS side, kind, min(id) AS first, count(*) AS n
    FROM transfers GROUP BY debit, kind
   UNION ALL
  SELECT credit, 'in', kind, min(id), count(*) FROM transfers GROUP BY credit, kind
)
SELECT 'accounts', a.id::text,
       format('%s: %s', a.kind, (SELECT string_agg(m.side || ' ' || m.kind, ', ') FROM may m
                                  WHERE m.account = a.kind)),
       format('%s %s in %s entries, the first is %s', s.side, s.kind, s.n, s.first)
  FROM seen s JOIN accounts a USING (id)
 WHERE (a.kind, s.side, s.kind) NOT IN (SELECT account, side, kind FROM may)
 ORDER BY a.id, s.first
 LIMIT $1
;

-- What a member has spent is what the member's attempts have settled, and what open ones have
-- posted, less refunds and with corrections; in money also what hours of packages have cost, and what
-- of a provider's bill the member was charged for.
-- name: check_account_spent
WITH parts AS (
  SELECT a.member, h.asset, coalesce(s.charged, h.posted)::numeric AS amount
    FROM attempts a
    JOIN holds h USING (job, index, number)
    LEFT JOIN settlements s USING (job, index, number)
   UNION ALL
  SELECT a.member, t.asset, CASE WHEN c.kind = 'spent' THEN t.amount::numeric ELSE -t.amount END
    FROM transfers t
    JOIN attempts a USING (job, index, number)
    JOIN accounts c ON c.id = t.credit
    JOIN accounts d ON d.id = t.debit
   WHERE t.kind IN ('refund', 'correct') AND 'spent' IN (c.kind, d.kind) AND c.kind <> 'inventory'
   UNION ALL
  SELECT a.member, 1, CASE WHEN t.debit = p.inventory THEN t.amount::numeric ELSE -t.amount END
    FROM packages p
    JOIN transfers t ON p.inventory IN (t.debit, t.credit)
    JOIN attempts a USING (job, index, number)
   WHERE t.kind IN ('charge', 'reversal', 'refund')
   UNION ALL
  SELECT t.member, 1, CASE c.kind WHEN 'unknown' THEN -t.amount::numeric ELSE t.amount END
    FROM transfers t
    JOIN accounts c ON c.id = t.credit
    JOIN accounts d ON d.id = t.debit
   WHERE t.kind = 'explain' AND 'spent' IN (c.kind, d.kind)
), settled AS (
  SELECT member, asset, sum(amount) AS amount FROM parts GROUP BY member, asset
), spent AS (
  SELECT c.id, c.owner_id AS member, c.asset,
         (SELECT coalesce(sum(t.amount::numeric), 0) FROM transfers t WHERE t.credit = c.id)
       - (SELECT coalesce(sum(t.amount::numeric),
       0) FROM transfers t WHERE t.debit = c.id) AS amount
    FROM accounts c WHERE c.kind = 'spent'
)
SELECT 'accounts', coalesce(p.id::text, 'none of member ' || s.member),
       coalesce(s.amount, 0) * 0.000001 || ' settled', coalesce(p.amount, 0) * 0.000001 || ' spent'
  FROM settled s FULL JOIN spent p USING (member, asset)
 WHERE coalesce(s.amount, 0) <> coalesce(p.amount, 0)
 ORDER BY 2
 LIMIT $1
;

-- Where a lot and its entries differ, the lot and its entries are named: any of them may be wrong.
-- Given back into the lot that had paid a charge is no credit: it lowers what is posted there.
-- name: check_lot_credited
WITH moves AS (
  SELECT l.id AS lot, t.id,
         CASE WHEN t.debit = l.account THEN -t.amount::numeric ELSE t.amount END AS amount
    FROM transfers t
    JOIN lots l ON l.account IN (t.debit, t.credit)
    LEFT JOIN transfers e ON e.id = t.linked
    LEFT JOIN transfers r ON r.id = e.linked AND e.kind = 'refund'
   WHERE t.kind IN ('deposit', 'withdraw', 'lapse', 'transfer', 'purchase')
      OR (t.kind IN ('refund', 'correct')
          AND (coalesce(r.kind, e.kind) = 'charge' AND coalesce(r.debit, e.debit) = l.account)
              IS NOT TRUE)
), sums AS (
  SELECT l.id, l.credited, coalesce(sum(m.amount), 0) AS amount
    FROM lots l LEFT JOIN moves m ON m.lot = l.id
   GROUP BY l.id, l.credited
), wrong AS (
  SELECT * FROM sums WHERE credited <> amount
)
SELECT 'lots', w.id::text, w.amount * 0.000001 || ' by its entries',
       w.credited * 0.000001 || ' credited'
  FROM wrong w
 UNION ALL
SELECT 'transfers', m.id::text, format('its part of the %s credited to lot %s',
       w.credited * 0.000001, w.id),
       format('%s of %s', m.amount * 0.000001, w.amount * 0.000001)
  FROM wrong w JOIN moves m ON m.lot = w.id
 ORDER BY 1, 2
 LIMIT $1
;

-- name: check_lot_posted
WITH moves AS (
  SELECT l.id AS lot, t.id, t.linked,
         CASE WHEN t.debit = l.account THEN t.amount::numeric ELSE -t.amount END AS amount
    FROM transfers t
    JOIN lots l ON l.account IN (t.debit, t.credit)
    LEFT JOIN transfers e ON e.id = t.linked
    LEFT JOIN transfers r ON r.id = e.linked AND e.kind = 'refund'
   WHERE t.kind IN ('charge', 'reversal')
      OR (t.kind IN ('refund', 'correct')
          AND coalesce(r.kind, e.kind) = 'charge' AND coalesce(r.debit, e.debit) = l.account)
), wrong AS (
  SELECT l.id, l.posted, coalesce(sum(m.amount), 0) AS amount
    FROM lots l LEFT JOIN moves m ON m.lot = l.id
   GROUP BY l.id, l.posted HAVING l.posted <> coalesce(sum(m.amount), 0)
)
SELECT 'lots', w.id::text, w.amount * 0.000001 || ' charged by its entries',
       w.posted * 0.000001 || ' posted'
  FROM wrong w
 UNION ALL
SELECT 'transfers', m.id::text, format('its part of the %s posted on lot %s', w.posted * 0.000001,
                                       w.id),
       format('%s of %s', m.amount * 0.000001, w.amount * 0.000001)
  FROM wrong w JOIN moves m ON m.lot = w.id AND m.linked IS NOT NULL
 ORDER BY 1, 2
 LIMIT $1
;

-- name: check_lot_held
SELECT 'lots', l.id::text, coalesce(o.amount, 0) * 0.000001 || ' in the lines of open attempts',
       l.held * 0.000001 || ' held'
  FROM lots l
  LEFT JOIN (SELECT n.lot, sum(n.amount::numeric - n.posted) AS amount
               FROM hold_lines n JOIN attempts a USING (job, index, number)
              WHERE a.state <> 'ENDED' GROUP BY n.lot) o ON o.lot = l.id
 WHERE l.held <> coalesce(o.amount, 0)
 ORDER BY l.id
 LIMIT $1
;

-- name: check_lot_account
SELECT 'lots', l.id::text, format('an account of kind lot of %s %s, asset %s', l.owner_kind,
       l.owner_id, l.asset),
       coalesce(format('%s of %s %s, asset %s', a.kind, a.owner_kind, a.owner_id, a.asset),
       'no account')
  FROM lots l LEFT JOIN accounts a ON a.id = l.account
 WHERE (a.kind, a.owner_kind, a.owner_id, a.asset)
       IS DISTINCT FROM ('lot', l.owner_kind, l.owner_id, l.asset)
 ORDER BY l.id
 LIMIT $1
;

-- name: check_lot_tier
SELECT 'lots', l.id::text, format('tier %s as in transfer %s', coalesce(t.tier::text, 'any'), t.id),
       'tier ' || coalesce(l.tier::text, 'any')
  FROM lots l JOIN transfers t ON t.credit = l.account AND t.kind IN ('deposit', 'purchase')
 WHERE l.tier IS DISTINCT FROM t.tier
 ORDER BY l.id
 LIMIT $1
;

-- Nothing comes in before the start; after the end nothing is drawn but by holds made before.
-- name: check_lot_dates
SELECT 'lots', l.id::text, format('entries from %s on', l.starts_at), format('transfer %s at %s',
       t.id, t.at)
  FROM lots l JOIN transfers t ON l.account IN (t.debit, t.credit)
 WHERE t.at < l.starts_at
 UNION ALL
SELECT 'lots', l.id::text, format('nothing that a person books after %s', l.ends_at),
       format('transfer %s at %s', t.id, t.at)
  FROM lots l JOIN transfers t ON l.account IN (t.debit, t.credit)
 WHERE t.kind IN ('deposit', 'withdraw', 'refund', 'transfer', 'correct', 'purchase')
   AND t.at >= l.ends_at
   AND NOT (t.kind = 'purchase' AND t.at = l.ends_at AND l.asset <> 1)  -- closed at once
 UNION ALL
SELECT 'lots', l.id::text, format('holds within [%s, %s)', l.starts_at, l.ends_at),
       format('%s_%s.%s took one at %s', h.job, h.index, h.number, h.at)
  FROM lots l
  JOIN hold_lines n ON n.lot = l.id
  JOIN holds h USING (job, index, number)
 CROSS JOIN leader
 WHERE h.at > l.ends_at
    OR (h.at = l.ends_at AND NOT EXISTS (SELECT FROM packages p WHERE p.id = l.asset
                                            AND p.closed_at < p.ends_at))
    OR l.starts_at > CASE WHEN n.n = 0 THEN h.at ELSE coalesce(h.closed_at, leader.core_now) END
 ORDER BY 2
 LIMIT $1
;

-- An ended lot has lapsed as soon as no open hold has a line on it; then nothing is left in it.
-- name: check_lot_lapsed
WITH drawn_on AS (
  SELECT DISTINCT n.lot FROM holds h JOIN hold_lines n USING (job, index, number)
   WHERE h.closed_at IS NULL
), judged AS (
  SELECT l.*, l.ends_at <= leader.core_now AND l.id NOT IN (SELECT lot FROM drawn_on) AS over,
         l.credited::numeric - l.posted - l.held AS rest
    FROM lots l, leader
)
SELECT 'lots', l.id::text, CASE WHEN l.over THEN 'lapsed, nothing left' ELSE 'not lapsed' END,
       format('%s, ends %s, %s left, %s held',
       CASE WHEN l.lapsed THEN 'lapsed' ELSE 'not lapsed' END,
              l.ends_at, l.rest * 0.000001, l.held * 0.000001)
  FROM judged l
 WHERE l.lapsed <> l.over OR (l.lapsed AND l.rest > 0)
 ORDER BY l.id
 LIMIT $1
;

-- What was posted in a period, by member, project and tier, is what the charges of that period say,
-- less what was given back in it, of whichever period. The hours of a package count, their cost does
-- not. What costs nothing has no charges: there the settled meter counts.
-- name: check_spend_counters
WITH charges AS (
  SELECT a.member, coalesce(a.project, 0) AS project, a.tier, s.at, 0::numeric AS amount,
         a.units * least(a.metered_ms::numeric - a.overrun_ms, div(a.time_limit_us, 1000),
                         CASE WHEN s.payer = 'checkpoint'
                              THEN nullif(a.checkpoint_ms, 0) END) AS unit_ms
    FROM settlements s JOIN attempts a USING (job, index, number)
   WHERE a.rate = 0 AND a.source <> 'package' AND s.payer IN ('member', 'checkpoint')
   UNION ALL
  SELECT t.member, coalesce(t.project, 0) AS project, t.tier, t.at,
         CASE WHEN t.source = 'package' THEN 0 ELSE t.amount::numeric * s.sign END AS amount,
         t.unit_ms::numeric * s.sign AS unit_ms
    FROM transfers t
    JOIN accounts c ON c.id IN (t.debit, t.credit)
   CROSS JOIN LATERAL (SELECT CASE WHEN c.id = t.credit THEN 1 ELSE -1 END AS sign) s
   WHERE t.kind IN ('charge', 'reversal', 'refund', 'correct') AND c.kind = 'spent'
), derived AS (
  SELECT c.member, c.project, c.tier, 'none' AS period, timestamptz 'epoch' AS start_at,
         sum(c.amount) AS amount, sum(c.unit_ms) AS unit_ms
    FROM charges c GROUP BY 1, 2, 3
   UNION ALL
  SELECT c.member, c.project, c.tier, p.kind, p.start_at, sum(c.amount), sum(c.unit_ms)
    FROM charges c JOIN periods p ON p.kind <> 'night' AND p.start_at <= c.at AND c.at < p.end_at
   GROUP BY 1, 2, 3, 4, 5
)
SELECT 'spend', format('%s/%s/%s/%s/%s', member, project, tier, period, start_at),
       format('%s in %s unit-ms', coalesce(d.amount, 0) * 0.000001, coalesce(d.unit_ms, 0)),
       format('%s in %s unit-ms', coalesce(s.charged, 0) * 0.000001, coalesce(s.unit_ms, 0))
  FROM derived d FULL JOIN spend s USING (member, project, tier, period, start_at)
 WHERE coalesce(d.amount, 0) <> coalesce(s.charged, 0) OR coalesce(d.unit_ms,
       0) <> coalesce(s.unit_ms, 0)
 ORDER BY 2
 LIMIT $1
;

-- The calendar has no overlap and, between days and between months, no gap.
-- name: check_period_calendar
WITH p AS (
  SELECT kind, start_at, end_at, lag(end_at) OVER w AS before, lead(start_at) OVER w AS after
    FROM periods WINDOW w AS (PARTITION BY kind ORDER BY start_at)
)
SELECT 'periods', format('%s/%s', kind, start_at),
       format('from %s to %s', coalesce(before, start_at), coalesce(after, end_at)),
       format('from %s to %s', start_at, end_at)
  FROM p
 WHERE before > start_at OR after < end_at OR start_at >= end_at
    OR (kind <> 'night' AND (before <> start_at OR after <> end_at))
 ORDER BY 2
 LIMIT $1
;

-- Ids are given out upwards and never twice.
-- name: check_lab_ids
SELECT 'lab', 'lab', x.what || ' above ' || x.most, x.next::text
  FROM lab CROSS JOIN LATERAL (VALUES
    ('next_transfer', lab.next_transfer, (SELECT max(id) FROM transfers)),
    ('next_job', lab.next_job, (SELECT max(id) FROM jobs)),
    ('next_id', lab.next_id,
     (SELECT max(id) FROM (SELECT id FROM members UNION ALL SELECT id FROM projects
                           UNION ALL SELECT id FROM tiers UNION ALL SELECT id FROM nodes
                           UNION ALL SELECT id FROM accounts UNION ALL SELECT id FROM lots
                           UNION ALL SELECT id FROM packages
                           UNION ALL SELECT id FROM rentals
                           UNION ALL SELECT id FROM invoices
                           UNION ALL SELECT id FROM payments
                           UNION ALL SELECT id FROM limits) ids))) AS x (what, next, most)
 WHERE x.next <= x.most
 LIMIT $1
;
