-- What people see of the books.

-- In burn order within an owner: soonest end, then oldest.
-- name: list_lots
SELECT l.id, l.account, l.asset, l.owner_kind, l.owner_id, l.tier, l.starts_at, l.ends_at,
       l.credited, l.posted, l.held, l.credit_limit, l.lapsed, l.payer,
       owner_name(l.owner_kind, l.owner_id), t.name
  FROM lots l LEFT JOIN tiers t ON t.id = l.tier
 WHERE NOT l.lapsed AND l.asset = 1
 ORDER BY l.owner_kind, l.owner_id, l.ends_at, l.starts_at, l.id
;

-- name: list_open_holds
SELECT h.job, h.index, h.number, h.asset, h.amount, h.posted, h.state, h.at, h.closed_at, h.reason,
       a.member, a.units, a.rate, a.metered_ms, a.overrun_ms
  FROM holds h JOIN attempts a USING (job, index, number)
 WHERE h.closed_at IS NULL AND h.asset = 1
 ORDER BY h.job, h.index, h.number
;

-- $1 after, $2 job or 0, $3 member or 0, $4 and $5 owner of either account or null, $6 limit.
-- name: list_entries
WITH own AS (
  SELECT id FROM accounts WHERE owner_kind = $4::text AND owner_id = $5::bigint
), page AS MATERIALIZED (
  SELECT t.* FROM transfers t
   WHERE t.id > $1::bigint
     AND ($2::bigint = 0 OR t.job = $2::bigint)
     AND ($3::bigint = 0 OR t.member = $3::bigint)
     AND ($4::text IS NULL OR t.debit IN (SELECT id FROM own) OR t.credit IN (SELECT id FROM own))
   ORDER BY t.id LIMIT $6::integer
)
SELECT e.id, e.at, e.asset, e.debit, e.credit, e.amount, e.kind, e.reason, e.person, e.request_id,
       e.member, e.project, e.job, e.index, e.number, e.tier, e.source, e.node, e.payer_kind,
       e.payer_id, e.unit_ms, e.linked, e.rental, e.invoice,
       d.kind, owner_name(d.owner_kind, d.owner_id), c.kind, owner_name(c.owner_kind, c.owner_id),
       m.name, p.name, t.name, n.name, w.name
  FROM page e
  JOIN accounts d ON d.id = e.debit
  JOIN accounts c ON c.id = e.credit
  LEFT JOIN members m ON m.id = e.member
  LEFT JOIN members w ON w.id = e.person
  LEFT JOIN projects p ON p.id = e.project
  LEFT JOIN tiers t ON t.id = e.tier
  LEFT JOIN nodes n ON n.id = e.node
 ORDER BY e.id
;

-- What a money verb names, with all charges and reversals of the same attempts. $1 an entry or 0;
-- else $2 job, $3 index, $4 number or 0: every attempt of the task.
-- name: named_entries
WITH attempt AS (
  SELECT t.job, t.index, t.number FROM transfers t WHERE t.id = $1::bigint AND t.job IS NOT NULL
   UNION ALL
  SELECT $2::bigint, $3::integer, $4::integer WHERE $1::bigint = 0
), named AS (
  SELECT $1::bigint AS id
   UNION
  SELECT t.id FROM attempt a
    JOIN transfers t ON t.job = a.job AND t.index = a.index AND a.number IN (0, t.number)
   WHERE t.kind IN ('charge', 'reversal')
)
SELECT t.id, t.at, t.asset, t.debit, t.credit, t.amount, t.kind, t.reason, t.person, t.request_id,
       t.member, t.project, t.job, t.index, t.number, t.tier, t.source, t.node, t.payer_kind,
       t.payer_id, t.unit_ms, t.linked, t.rental, t.invoice,
       l.id, l.tier, h.job IS NOT NULL AND h.closed_at IS NULL, l.payer
  FROM named n
  JOIN transfers t ON t.id = n.id
  LEFT JOIN LATERAL (SELECT x.id, x.tier, x.payer FROM lots x WHERE x.account IN (t.debit, t.credit)
                      ORDER BY x.account <> t.debit LIMIT 1) l ON true
  LEFT JOIN holds h ON (h.job, h.index, h.number) = (t.job, t.index, t.number)
 ORDER BY t.id
;

-- name: holds_of_job
SELECT job, index, number, asset, amount, posted, state, at, closed_at, reason
  FROM holds WHERE job = $1::bigint ORDER BY index, number
;

-- name: list_limits
SELECT l.id, l.resource, l.applies_to, l.scope_kind, l.scope_id, l.member, l.tier, l.period,
       l.unlimited, l.amount, l.until, l.absent, l.starts_at, l.notify_at, l.block_at,
       owner_name(l.scope_kind, l.scope_id), m.name, t.name
  FROM limits l
  LEFT JOIN members m ON m.id = l.member
  LEFT JOIN tiers t ON t.id = l.tier
 WHERE NOT l.absent
 ORDER BY l.id
;

-- name: spend_at
SELECT member, project, tier, period, start_at, charged, unit_ms
  FROM spend
 WHERE period = 'none'
    OR (period, start_at) IN (SELECT kind, start_at FROM periods
                               WHERE start_at <= $1::timestamptz AND end_at > $1::timestamptz)
 ORDER BY period, start_at, member, project, tier
;

-- What is given back is below zero.
-- name: settled_by_member
SELECT t.member, m.name,
       sum(CASE WHEN c.kind = 'spent' THEN t.amount ELSE -t.amount END)::bigint
  FROM transfers t
  JOIN members m ON m.id = t.member
  JOIN accounts c ON c.id = t.credit
 WHERE t.kind IN ('charge', 'reversal', 'refund', 'correct') AND t.job IS NOT NULL
   AND t.payer_kind <> 'lab' AND t.asset = 1
 GROUP BY t.member, m.name
 ORDER BY t.member
;
