-- What people see of group purchases.

-- $1: one package, or 0 for all; $2: closed ones too.
-- name: list_packages
SELECT p.id, p.tier, p.kind, p.provider, p.payer, p.price, p.total_ms, p.units, p.bought_at,
       p.starts_at, p.ends_at, p.split, p.borrow, p.borrow_ms, p.lapse_to, p.inventory, p.used_ms,
       p.moved, p.lapsed, p.closed_at, t.name, m.name
  FROM packages p
  JOIN tiers t ON t.id = p.tier
  LEFT JOIN members m ON m.id = p.payer
 WHERE ($1::bigint = 0 OR p.id = $1::bigint) AND ($2::boolean OR p.closed_at IS NULL)
 ORDER BY p.id
;

-- Used: by the member, on whatever portion. Lent: on the member's portion, by others. Both charged;
-- holding and lending are what open holds have set aside and not yet charged. Spent: the cost that
-- followed. $1: one package, or 0 for all; $2: closed ones too.
-- name: list_portions
WITH wanted AS (
  SELECT id, inventory FROM packages
   WHERE ($1::bigint = 0 OR id = $1::bigint) AND ($2::boolean OR closed_at IS NULL)
), lines AS (
  SELECT h.asset AS package, a.member, n.lot, n.posted,
         CASE WHEN h.closed_at IS NULL THEN n.amount - n.posted ELSE 0 END AS open
    FROM wanted w
    JOIN holds h ON h.asset = w.id AND h.asset <> 1
    JOIN hold_lines n USING (job, index, number)
    JOIN attempts a USING (job, index, number)
), used AS (
  SELECT package, member, sum(posted)::bigint AS used, sum(open)::bigint AS open
    FROM lines GROUP BY package, member
), lent AS (
  SELECT l.package, l.lot, sum(l.posted)::bigint AS lent, sum(l.open)::bigint AS open
    FROM lines l JOIN portions p ON p.lot = l.lot
   WHERE p.member <> l.member GROUP BY l.package, l.lot
), cost AS (
  SELECT p.id AS package, t.member,
         sum(CASE WHEN t.debit = p.inventory THEN t.amount ELSE -t.amount END)::bigint AS spent
    FROM wanted p JOIN transfers t ON p.inventory IN (t.debit, t.credit)
   WHERE t.kind IN ('charge', 'reversal')
   GROUP BY p.id, t.member
)
SELECT p.package, p.member, p.share, p.total_ms, p.cost, p.lot, p.borrowed_ms, p.borrowing_ms,
       p.lapsed_ms, p.lapsed, owner_name(l.owner_kind, l.owner_id), l.posted, l.held,
       coalesce(u.used, 0), coalesce(u.open, 0), coalesce(x.lent, 0), coalesce(x.open, 0),
       coalesce(c.spent, 0)
  FROM wanted w
  JOIN portions p ON p.package = w.id
  JOIN lots l ON l.id = p.lot
  LEFT JOIN used u ON u.package = p.package AND u.member = p.member
  LEFT JOIN lent x ON x.lot = p.lot
  LEFT JOIN cost c ON c.package = p.package AND c.member = p.member
 ORDER BY p.package, p.member = 0, p.member
;

-- What each member has brought into the lab, less what was given back.
-- name: paid_in_balances
SELECT a.owner_id,
       ((SELECT coalesce(sum(t.amount), 0) FROM transfers t WHERE t.debit = a.id)
        - (SELECT coalesce(sum(t.amount), 0) FROM transfers t WHERE t.credit = a.id))::bigint
  FROM accounts a
 WHERE a.kind = 'paid_in' AND a.asset = 1
 ORDER BY a.owner_id
;
