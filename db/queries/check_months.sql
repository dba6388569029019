-- The second opinion on the month's end (scheduler/check); the form of answers: check_transfers.sql.

-- Closed months are the calendar's, one after the other, closed when they had ended, by a member; what
-- is dated in them was posted before. By force is a month closed where work ran on through its end.
-- name: check_month_closed
WITH m AS (
  SELECT *, lead(start_at) OVER (ORDER BY start_at) AS next_at FROM months
), wrong AS (
  SELECT m.*,
         CASE WHEN NOT EXISTS (SELECT FROM periods p
                                WHERE (p.kind, p.start_at, p.end_at) = ('month', m.start_at, m.end_at))
              THEN 'a month of the calendar'
              WHEN next_at <> end_at THEN 'the next closed month after it'
              WHEN closed_at < end_at OR closed_at > core_now THEN 'closed after its end'
              WHEN settled_at < closed_at OR settled_at > core_now THEN 'settled after the close'
              WHEN by IS NOT NULL AND NOT EXISTS (SELECT FROM members x WHERE x.id = m.by)
              THEN 'closed by a member'
              WHEN settled_by IS NOT NULL
                AND (settled_at IS NULL
                     OR NOT EXISTS (SELECT FROM members x WHERE x.id = m.settled_by))
              THEN 'settled by a member'
              WHEN forced AND NOT EXISTS (
                     SELECT FROM attempts a WHERE a.started_at < m.end_at
                        AND (a.ended_at IS NULL OR a.ended_at >= m.closed_at))
              THEN 'closed without force: no work ran on'
              WHEN NOT forced AND EXISTS (
                     SELECT FROM transfers t JOIN attempts a USING (job, index, number)
                      WHERE t.kind = 'charge' AND t.at = m.end_at
                        AND (a.ended_at IS NULL OR a.ended_at > m.end_at))
              THEN 'closed by force: work that ran in it is charged after it' END AS should
    FROM m CROSS JOIN leader
)
SELECT 'months', start_at::text, should,
       format('%s to %s, closed at %s by %s, settled at %s by %s%s', start_at, end_at, closed_at,
              coalesce(by::text, 'nobody'), coalesce(settled_at::text, 'no time'),
              coalesce(settled_by::text, 'nobody'), CASE WHEN forced THEN ', by force' ELSE '' END)
  FROM wrong WHERE should IS NOT NULL
 UNION ALL
SELECT 'transfers', t.id::text, format('posted before %s, when the month was closed', m.closed_at),
       format('at %s, after entry %s, which came later', t.at, l.id)
  FROM months m
 CROSS JOIN LATERAL (SELECT min(l.id) AS id FROM transfers l WHERE l.at > m.closed_at) l
  JOIN transfers t ON m.start_at <= t.at AND t.at < m.end_at AND t.id > l.id
 ORDER BY 1, 2
 LIMIT $1
;

-- name: check_positions_zero
SELECT 'positions', format('%s/%s', p.month, p.member),
       'paid + settled - spent - overhead - lapsed - carried, and 0 in all',
       format('%s of %s, in all %s', p.position * 0.000001,
              (p.paid + p.settled - p.spent - p.overhead - p.lapsed - p.carried) * 0.000001,
              s.sum * 0.000001)
  FROM positions p
  JOIN (SELECT month, sum(position::numeric) AS sum FROM positions GROUP BY month) s USING (month)
 WHERE s.sum <> 0
    OR p.position <> p.paid + p.settled - p.spent - p.overhead - p.lapsed - p.carried
    OR NOT EXISTS (SELECT FROM months m WHERE m.start_at = p.month AND m.settled_at IS NOT NULL)
 ORDER BY p.month, p.member
 LIMIT $1
;

-- After the payments of a month everybody stands within a cent of nothing; they were proposed when it
-- was settled, in whole cents, from who owes to who is owed, one less than there are people at most.
-- name: check_payment_settles
WITH moves AS (
  SELECT month, payer AS member, amount FROM payments
   UNION ALL
  SELECT month, payee, -amount FROM payments
), stands AS (
  SELECT p.month, p.member, p.position,
         p.position + coalesce((SELECT sum(v.amount) FROM moves v
                                 WHERE (v.month, v.member) = (p.month, p.member)), 0) AS left_over
    FROM positions p
), wrong AS (
  SELECT month, member, position, left_over FROM stands WHERE abs(left_over) >= 10000
), crowds AS (
  SELECT y.month, count(*) AS n, (SELECT count(*) FROM positions p WHERE p.month = y.month) AS people
    FROM payments y GROUP BY y.month
)
SELECT 'positions', format('%s/%s', month, member), 'within a cent of 0 after its payments',
       format('%s of %s', left_over * 0.000001, position * 0.000001)
  FROM wrong
 UNION ALL
SELECT 'payments', y.id::text,
       format('one of at most %s, proposed at %s, in whole cents from who owes to who is owed, after '
              'which all is settled', coalesce(c.people - 1, 0), m.settled_at),
       format('one of %s, proposed at %s: %s from %s to %s', c.n, y.proposed_at,
              y.amount * 0.000001, y.payer, y.payee)
  FROM payments y
  LEFT JOIN months m ON m.start_at = y.month
  LEFT JOIN crowds c ON c.month = y.month
  LEFT JOIN stands d ON (d.month, d.member) = (y.month, y.payer)
  LEFT JOIN stands k ON (k.month, k.member) = (y.month, y.payee)
 WHERE m.settled_at IS DISTINCT FROM y.proposed_at OR c.n >= c.people
    OR y.amount <= 0 OR y.amount % 10000 <> 0
    OR coalesce(d.position, 0) >= 0 OR coalesce(k.position, 0) <= 0
    OR EXISTS (SELECT FROM wrong w WHERE w.month = y.month AND w.member IN (y.payer, y.payee))
 UNION ALL
SELECT 'months', m.start_at::text, 'settled at ' || min(y.proposed_at),
       coalesce(m.settled_at::text, 'not settled')
  FROM months m JOIN payments y ON y.month = m.start_at
 GROUP BY m.start_at, m.settled_at
HAVING m.settled_at IS DISTINCT FROM min(y.proposed_at)
 ORDER BY 1, 2
 LIMIT $1
;

-- A payment that was made has one entry, between its two members; and each such entry its payment.
-- name: check_payment_paid
SELECT 'payments', y.id::text,
       CASE WHEN t.id IS NULL THEN 'proposed, without entry, time or word'
            ELSE format('paid at %s by entry %s of %s from %s to %s, %s', t.at, t.id,
                        t.amount * 0.000001, d.owner_id, c.owner_id, t.reason) END,
       format('%s at %s by entry %s of %s from %s to %s, ref %s', y.state,
              coalesce(y.paid_at::text, 'no time'), coalesce(y.transfer::text, 'none'),
              y.amount * 0.000001, y.payer, y.payee, y.ref)
  FROM payments y
  LEFT JOIN transfers t ON t.id = y.transfer AND t.kind = 'payment'
  LEFT JOIN accounts d ON d.id = t.debit
  LEFT JOIN accounts c ON c.id = t.credit
 WHERE CASE WHEN y.state = 'paid'
            THEN (t.at, t.amount, d.kind, d.owner_id, c.kind, c.owner_id)
                 IS DISTINCT FROM (y.paid_at, y.amount, 'paid_in', y.payer, 'paid_in', y.payee)
                 OR y.ref = '' OR right(t.reason, length(y.ref) + 2) <> ': ' || y.ref
                 OR y.paid_at < y.proposed_at
            ELSE y.state <> 'proposed' OR num_nonnulls(y.paid_at, y.transfer) > 0 OR y.ref <> '' END
 UNION ALL
SELECT 'transfers', t.id::text, 'one payment that was made, of its payer',
       format('%s payments, payer %s %s, member %s', count(y.id), t.payer_kind, t.payer_id,
              coalesce(t.member::text, 'none'))
  FROM transfers t LEFT JOIN payments y ON y.transfer = t.id
 WHERE t.kind = 'payment'
 GROUP BY t.id
HAVING count(y.id) <> 1 OR bool_or((t.payer_kind, t.payer_id, t.member, t.at, t.amount)
                                   IS DISTINCT FROM
                                   ('member', y.payer, y.payer, y.paid_at, y.amount))
 ORDER BY 1, 2
 LIMIT $1
;

-- What positions.sum replays: entries of money in the order of time, with both sides.
-- name: check_open_money
DECLARE check_money NO SCROLL CURSOR FOR
SELECT t.at, t.kind, t.amount, d.kind, d.owner_kind, d.owner_id, c.kind, c.owner_kind, c.owner_id
  FROM transfers t
  JOIN accounts d ON d.id = t.debit
  JOIN accounts c ON c.id = t.credit
 WHERE t.asset = 1 AND t.at < (SELECT max(end_at) FROM months WHERE settled_at IS NOT NULL)
 ORDER BY t.at, t.id
;

-- name: check_next_money
FETCH 5000 FROM check_money
;

-- name: check_settled_months
SELECT start_at, end_at, spread FROM months WHERE settled_at IS NOT NULL ORDER BY start_at
;

-- name: check_positions
SELECT month, member, paid, settled, spent, overhead, lapsed, carried, position
  FROM positions ORDER BY month, member
;

-- name: check_payments
SELECT month, payer, payee, amount FROM payments ORDER BY id
;

-- Packages that a member paid for, as they stood at $1, one row a portion: what of the price was
-- spent and lapsed by its member, what of its hours nobody has used; and of the whole what lapsed to
-- the lab and what is left.
-- name: check_packages_at
WITH costs AS (
  SELECT p.id, CASE t.debit WHEN p.inventory THEN t.amount::numeric ELSE -t.amount END AS amount,
         a.kind, a.owner_id
    FROM packages p
    JOIN transfers t ON p.inventory IN (t.debit, t.credit)
    JOIN accounts a ON a.id = CASE t.debit WHEN p.inventory THEN t.credit ELSE t.debit END
   WHERE p.payer IS NOT NULL AND t.at < $1::timestamptz
   UNION ALL  -- hours that came back after the end: from their member to everybody
  SELECT p.id, x.amount, x.kind, x.owner
    FROM transfers t
    JOIN transfers h ON h.id = t.linked
    JOIN packages p ON p.id = h.asset
    JOIN accounts c ON c.id = t.credit
   CROSS JOIN LATERAL (VALUES (-t.amount::numeric, 'spent', t.member),
                              (t.amount::numeric, 'overhead_lapsed', 0)) AS x (amount, kind, owner)
   WHERE t.kind = 'refund' AND t.asset = 1 AND c.kind = 'overhead_other'
     AND p.payer IS NOT NULL AND t.at < $1::timestamptz
)
SELECT p.id, p.payer, o.member,
       coalesce((SELECT sum(amount) FROM costs c
                  WHERE (c.id, c.kind, c.owner_id) = (p.id, 'spent', o.member)), 0)::bigint,
       coalesce((SELECT sum(amount) FROM costs c
                  WHERE (c.id, c.kind, c.owner_id) = (p.id, 'lapsed', o.member)), 0)::bigint,
       (SELECT coalesce(sum(CASE t.credit WHEN l.account THEN t.amount ELSE -t.amount END), 0)
          FROM transfers t
         WHERE l.account IN (t.debit, t.credit) AND t.kind <> 'lapse'
           AND t.at < $1::timestamptz)::bigint,
       coalesce((SELECT sum(amount) FROM costs c
                  WHERE (c.id, c.kind) = (p.id, 'overhead_lapsed')), 0)::bigint,
       coalesce((SELECT -sum(amount) FROM costs c WHERE c.id = p.id), 0)::bigint
  FROM packages p
  JOIN portions o ON o.package = p.id
  JOIN lots l ON l.id = o.lot
 WHERE p.payer IS NOT NULL AND p.bought_at < $1::timestamptz
 ORDER BY p.id, o.member = 0, o.member
;

-- Bills that a member paid, as they stood at $1: what of them no attempt was charged for, by payer,
-- and what of that single members were charged for. From the entries and what lines cover.
-- name: check_bills_at
SELECT 'paid', i.payer,
       (SELECT coalesce(sum(l.amount - l.charges), 0) FROM invoice_lines l
         WHERE l.invoice = i.id)::bigint
  FROM invoices i
 WHERE i.payer IS NOT NULL AND i.booked_at < $1::timestamptz
 UNION ALL
SELECT 'charged', a.owner_id, CASE a.id WHEN t.credit THEN t.amount ELSE -t.amount END
  FROM transfers t
  JOIN invoices i ON i.id = t.invoice
  JOIN accounts a ON a.id IN (t.debit, t.credit) AND a.kind = 'spent'
 WHERE t.kind = 'explain' AND t.at < $1::timestamptz AND i.payer IS NOT NULL
 ORDER BY 1, 2, 3
;

-- name: check_text_of
SELECT $1::timestamptz::text
;
