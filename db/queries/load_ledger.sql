-- What core loads: the live part of each table ($1: core's time at the last batch).

-- name: load_accounts
SELECT id, kind, owner_kind, owner_id, asset
  FROM accounts
 ORDER BY id
;

-- name: load_lots
SELECT id, account, asset, owner_kind, owner_id, tier, starts_at, ends_at, credited, posted, held,
       credit_limit, lapsed,
       payer
  FROM lots
 WHERE NOT lapsed
 ORDER BY id
;

-- name: load_holds
SELECT job, index, number, asset, amount, posted, state, at, closed_at, reason
  FROM holds
 WHERE closed_at IS NULL
 ORDER BY job, index, number
;

-- name: load_hold_lines
SELECT job, index, number, n, lot, amount, posted
  FROM hold_lines
 WHERE (job, index, number) IN (SELECT job, index, number FROM holds
                                   WHERE closed_at IS NULL)
 ORDER BY job, index, number, n
;

-- name: load_settlements
SELECT job, index, number, at, charged, lab, metered_ms, hash,
       payer
  FROM settlements
 WHERE (job, index, number) IN (
         SELECT job, index, number FROM attempts
          WHERE NOT forgotten
             OR job IN (SELECT id FROM jobs
                         WHERE ended_at IS NULL OR ended_at > $1::timestamptz - interval '10 minutes'))
 ORDER BY job, index, number
;

-- name: load_limits
SELECT id, resource, applies_to, scope_kind, scope_id, member, tier, period, unlimited, amount,
       until, absent,
       starts_at, notify_at, block_at
  FROM limits
 WHERE NOT absent
 ORDER BY id
;

-- name: load_thresholds
SELECT t.limit_id, t.member, t.percent, t.start_at, t.at
  FROM thresholds t
  JOIN limits l ON l.id = t.limit_id
 WHERE NOT l.absent
   AND (l.period = 'none'
        OR (l.period = 'dated' AND l.until > $1::timestamptz)
        OR EXISTS (SELECT FROM periods p
                    WHERE p.kind = l.period AND p.start_at <= t.start_at AND t.start_at < p.end_at
                      AND p.end_at > $1::timestamptz))
 ORDER BY t.limit_id, t.member, t.percent, t.start_at
;

-- name: load_payers
SELECT reason, payer
  FROM payers
 ORDER BY reason
;

-- name: load_spend
SELECT member, project, tier, period, start_at, charged, unit_ms
  FROM spend
 WHERE period = 'none'
    OR start_at >= least($1::timestamptz - interval '75 days',
                         (SELECT min(starts_at) FROM limits
                           WHERE period = 'dated' AND NOT absent AND until > $1::timestamptz))
 ORDER BY period, start_at, member, project, tier
;

-- A correction of a refund changes the charge as well, the other way.
-- name: load_amended
WITH changes AS (
  SELECT e.id, e.kind, e.linked,
         CASE WHEN t.debit = e.debit THEN t.amount ELSE -t.amount END AS amount
    FROM transfers t JOIN transfers e ON e.id = t.linked
   WHERE t.linked IS NOT NULL AND t.asset = e.asset  -- not what hours had cost
)
SELECT c.id, sum(c.amount)::bigint
  FROM (SELECT id, amount FROM changes
         UNION ALL
        SELECT linked, -amount FROM changes WHERE kind = 'refund') c
 GROUP BY c.id
 ORDER BY c.id
;

-- name: load_usage
SELECT member, amount::text,
       project
  FROM usage
 ORDER BY member
;

-- name: load_packages
SELECT id, tier, kind, provider, payer, price, total_ms, units, bought_at, starts_at, ends_at,
       split, borrow, borrow_ms, lapse_to, inventory, used_ms, moved, lapsed, closed_at
  FROM packages
 WHERE closed_at IS NULL
 ORDER BY id
;

-- name: load_portions
SELECT package, member, share, total_ms, cost, lot, borrowed_ms, borrowing_ms, lapsed_ms, lapsed
  FROM portions
 WHERE package IN (SELECT id FROM packages WHERE closed_at IS NULL)
 ORDER BY package, member
;

-- name: load_months
SELECT start_at, end_at, closed_at, forced, by, settled_at, spread, settled_by
  FROM months
 ORDER BY start_at
;

-- name: load_payments
SELECT id, month, payer, payee, amount, state, proposed_at, paid_at, ref, transfer
  FROM payments
 ORDER BY id
;
