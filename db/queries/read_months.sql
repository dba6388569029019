-- The month's end as people see it.

-- $1: a month's start.
-- name: month_at
SELECT start_at, end_at, closed_at, forced, by, settled_at, spread, settled_by
  FROM months
 WHERE start_at = $1::timestamptz
;

-- name: list_positions
SELECT month, member, paid, settled, spent, overhead, lapsed, carried, position
  FROM positions
 WHERE month = $1::timestamptz
 ORDER BY member
;

-- $1: a month's start, or none for all; $2: those already made as well.
-- name: list_payments
SELECT id, month, payer, payee, amount, state, proposed_at, paid_at, ref, transfer
  FROM payments
 WHERE ($1::timestamptz IS NULL OR month = $1::timestamptz)
   AND ($2::boolean OR state = 'proposed')
 ORDER BY id
;

-- Every number that positions of the month [$1, $2) are made of, in one reading of the books. `what`
-- says what a row is, the other columns what it needs: n a number, pool and other owners of lots.
--
--   since        at = the month settled before
--   person       member; n = 1: removed
--   used         member, amount: charged since that month
--   overhead     member, amount: its share up to then
--   settled      member, amount: payments of earlier months, made less received
--   in out paid_out lapse move use    steps of core/positions.h, in this order
--   package      n, member: who paid
--   spent lapsed overhead_lapsed left unused    n = the package, member, amount
--   bill         n, member: who paid, amount: total - charges
--   billed       n = the bill, member, amount: charged by explanations
-- name: position_facts
WITH since AS (
  SELECT max(start_at) AS start_at, coalesce(max(end_at), '-infinity') AS end_at
    FROM months WHERE settled_at IS NOT NULL AND start_at < $1::timestamptz
), e AS (
  SELECT t.id, t.at, t.kind, t.amount, t.debit, t.credit, t.invoice, t.linked,
         d.kind AS from_kind, d.owner_kind AS from_owner, d.owner_id AS from_id,
         c.kind AS to_kind, c.owner_kind AS to_owner, c.owner_id AS to_id
    FROM transfers t
    JOIN accounts d ON d.id = t.debit
    JOIN accounts c ON c.id = t.credit
   WHERE t.asset = 1 AND t.at < $2::timestamptz
), steps AS (
  SELECT id, at, amount, from_owner, from_id, to_owner, to_id, from_kind, to_kind,
         CASE WHEN from_kind = 'lot' AND to_kind = 'lot' THEN 'move'
              WHEN 'spent' IN (from_kind, to_kind) THEN 'use'
              WHEN to_kind = 'lot' THEN 'in'
              WHEN to_kind = 'lapsed' THEN 'lapse'
              WHEN kind <> 'withdraw' THEN 'less'
              WHEN to_kind = 'paid_in' THEN 'paid_out'
              ELSE 'out' END AS what
    FROM e WHERE 'lot' IN (from_kind, to_kind)
), numbered AS (
  SELECT *, count(*) FILTER (WHERE what <> 'use') OVER (ORDER BY at, id) AS block FROM steps
), flows AS (
  SELECT block, CASE what WHEN 'less' THEN 'in' ELSE what END AS what,
         CASE WHEN what = 'in' THEN to_owner ELSE from_owner END AS pool_kind,
         CASE WHEN what = 'in' THEN to_id ELSE from_id END AS pool_id,
         CASE what WHEN 'move' THEN to_owner ELSE 'lab' END AS other_kind,
         CASE what WHEN 'move' THEN to_id ELSE 0 END AS other_id,
         CASE 'paid_in' WHEN from_kind THEN from_id WHEN to_kind THEN to_id ELSE 0 END AS member,
         CASE what WHEN 'less' THEN -amount ELSE amount END AS amount
    FROM numbered WHERE what <> 'use'
), uses AS (
  SELECT block, CASE from_kind WHEN 'lot' THEN from_owner ELSE to_owner END AS pool_kind,
         CASE from_kind WHEN 'lot' THEN from_id ELSE to_id END AS pool_id,
         CASE from_kind WHEN 'lot' THEN to_id ELSE from_id END AS member,
         sum(CASE from_kind WHEN 'lot' THEN amount ELSE -amount END)::bigint AS amount
    FROM numbered WHERE what = 'use'
   GROUP BY 1, 2, 3, 4
), bought AS (
  SELECT id, payer, inventory FROM packages
   WHERE payer IS NOT NULL AND bought_at < $2::timestamptz
), costs AS (
  SELECT p.id, CASE e.debit WHEN p.inventory THEN e.amount ELSE -e.amount END AS amount,
         CASE e.debit WHEN p.inventory THEN e.to_kind ELSE e.from_kind END AS kind,
         CASE e.debit WHEN p.inventory THEN e.to_id ELSE e.from_id END AS owner
    FROM bought p JOIN e ON p.inventory IN (e.debit, e.credit)
   UNION ALL  -- hours given back after the package's end: their cost is overhead
  SELECT p.id, s.sign * e.amount, s.kind, CASE s.kind WHEN 'spent' THEN e.from_id ELSE 0 END
    FROM e
    JOIN transfers h ON h.id = e.linked
    JOIN bought p ON p.id = h.asset
   CROSS JOIN (VALUES (-1, 'spent'), (1, 'overhead_lapsed')) AS s (sign, kind)
   WHERE e.kind = 'refund' AND e.to_kind = 'overhead_other'
), hours AS (
  SELECT o.package, o.member,
         sum(CASE t.credit WHEN l.account THEN t.amount ELSE -t.amount END)::bigint AS amount
    FROM bought p
    JOIN portions o ON o.package = p.id
    JOIN lots l ON l.id = o.lot
    JOIN transfers t ON l.account IN (t.debit, t.credit)
   WHERE t.kind <> 'lapse' AND t.at < $2::timestamptz
   GROUP BY o.package, o.member
)
SELECT what, n, at, pool_kind, pool_id, other_kind, other_id, member, amount FROM (
  SELECT 0 AS part, 0::bigint AS ord, 'since' AS what, 0::bigint AS n, start_at AS at,
         'lab' AS pool_kind, 0::bigint AS pool_id, 'lab' AS other_kind, 0::bigint AS other_id,
         0::bigint AS member, 0::bigint AS amount
    FROM since
   UNION ALL
  SELECT 1, 0, 'person', removed::integer, NULL, 'lab', 0, 'lab', 0, id, 0 FROM members
   UNION ALL
  SELECT 2, 0, 'used', 0, NULL, 'lab', 0, 'lab', 0, m.member, sum(m.amount)::bigint
    FROM since s,
         LATERAL (SELECT to_id AS member, amount FROM e WHERE to_kind = 'spent' AND at >= s.end_at
                   UNION ALL
                  SELECT from_id, -amount FROM e
                   WHERE from_kind = 'spent' AND at >= s.end_at) m
   GROUP BY m.member
   UNION ALL
  SELECT 2, 0, 'overhead', 0, NULL, 'lab', 0, 'lab', 0, p.member, p.overhead
    FROM since s JOIN positions p ON p.month = s.start_at
   UNION ALL
  SELECT 2, 0, 'settled', 0, NULL, 'lab', 0, 'lab', 0, x.member, sum(x.amount)::bigint
    FROM payments p
   CROSS JOIN LATERAL (VALUES (p.payer, p.amount), (p.payee, -p.amount)) AS x (member, amount)
   WHERE p.month < $1::timestamptz
   GROUP BY x.member
   UNION ALL
  SELECT 3, 2 * block, what, 0, NULL, pool_kind, pool_id, other_kind, other_id, member, amount
    FROM flows
   UNION ALL
  SELECT 3, 2 * block + 1, 'use', 0, NULL, pool_kind, pool_id, 'lab', 0, member, amount
    FROM uses WHERE amount <> 0
   UNION ALL
  SELECT 4, 0, 'package', id, NULL, 'lab', 0, 'lab', 0, payer, 0 FROM bought
   UNION ALL
  SELECT 5, 0, CASE kind WHEN 'spent' THEN 'spent' WHEN 'lapsed' THEN 'lapsed'
                         ELSE 'overhead_lapsed' END,
         id, NULL, 'lab', 0, 'lab', 0, owner, sum(amount)::bigint
    FROM costs WHERE kind IN ('spent', 'lapsed', 'overhead_lapsed')
   GROUP BY id, kind, owner
   UNION ALL
  SELECT 5, 0, 'left', id, NULL, 'lab', 0, 'lab', 0, 0, -sum(amount)::bigint FROM costs GROUP BY id
   UNION ALL
  SELECT 5, 0, 'unused', package, NULL, 'lab', 0, 'lab', 0, member, amount FROM hours
   UNION ALL
  SELECT 6, 0, 'bill', id, NULL, 'lab', 0, 'lab', 0, payer, total - charges
    FROM invoices WHERE payer IS NOT NULL AND booked_at < $2::timestamptz
   UNION ALL
  SELECT 6, 0, 'billed', i.id, NULL, 'lab', 0, 'lab', 0, x.member, sum(x.amount)::bigint
    FROM invoices i
    JOIN (SELECT invoice, to_id AS member, amount FROM e WHERE kind = 'explain' AND to_kind = 'spent'
           UNION ALL
          SELECT invoice, from_id, -amount FROM e
           WHERE kind = 'explain' AND from_kind = 'spent') x ON x.invoice = i.id
   WHERE i.payer IS NOT NULL AND i.booked_at < $2::timestamptz
   GROUP BY i.id, x.member) f
 ORDER BY part, ord, pool_kind, pool_id, member, n, what
;
