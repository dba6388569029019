-- The second opinion on the entries (scheduler/check). Each query answers (table, key, expected,
-- found), one row for each row of the books that is not as its rule says; $1: how many at most.
-- A name is its rule's: check_transfer_sides is the rule transfer.sides.

-- name: check_transfer_sides
SELECT 'transfers', t.id::text, format('an amount above 0 between two accounts of asset %s',
       t.asset),
       format('%s from account %s (asset %s) to account %s (asset %s)', t.amount, t.debit,
              coalesce(d.asset::text, 'none'), t.credit, coalesce(c.asset::text, 'none'))
  FROM transfers t
  LEFT JOIN accounts d ON d.id = t.debit
  LEFT JOIN accounts c ON c.id = t.credit
 WHERE t.amount <= 0 OR t.debit = t.credit
    OR d.asset IS DISTINCT FROM t.asset OR c.asset IS DISTINCT FROM t.asset
 ORDER BY t.id
 LIMIT $1
;

-- name: check_transfer_kind
WITH may (kind, debit, credit) AS (VALUES
  ('deposit', 'paid_in', 'lot'), ('deposit', 'external', 'lot'),
  ('withdraw', 'lot', 'external'), ('withdraw', 'lot', 'paid_in'),
  ('charge', 'lot', 'spent'), ('lapse', 'lot', 'lapsed'),
  ('overhead', 'external', 'overhead_start'), ('overhead', 'external', 'overhead_node'),
  ('overhead', 'external', 'overhead_overrun'), ('overhead', 'external', 'overhead_other'),
  ('reversal', 'spent', 'lot'), ('reversal', 'overhead_start', 'external'),
  ('reversal', 'overhead_node', 'external'), ('reversal', 'overhead_overrun', 'external'),
  ('reversal', 'overhead_other', 'external'),
  ('refund', 'spent', 'lot'), ('refund', 'spent', 'inventory'),
  ('refund', 'spent', 'overhead_other'), ('transfer', 'lot', 'lot'),
  ('correct', 'lot', 'spent'), ('correct', 'spent', 'lot'),
  ('correct', 'paid_in', 'lot'), ('correct', 'lot', 'paid_in'),
  ('correct', 'external', 'lot'), ('correct', 'lot', 'external'),
  ('correct', 'external', 'overhead_start'), ('correct', 'overhead_start', 'external'),
  ('correct', 'external', 'overhead_node'), ('correct', 'overhead_node', 'external'),
  ('correct', 'external', 'overhead_overrun'), ('correct', 'overhead_overrun', 'external'),
  ('correct', 'external', 'overhead_other'), ('correct', 'overhead_other', 'external'),
  ('purchase', 'paid_in', 'inventory'), ('purchase', 'external', 'inventory'),
  ('purchase', 'external', 'lot'), ('charge', 'inventory', 'spent'),
  ('reversal', 'spent', 'inventory'), ('lapse', 'inventory', 'lapsed'),
  ('lapse', 'inventory', 'overhead_lapsed'), ('payment', 'paid_in', 'paid_in'),
  ('rental', 'external', 'idle'), ('rental', 'idle', 'external'),
  ('rental', 'external', 'rounding'), ('rental', 'rounding', 'external'),
  ('rental', 'external', 'disk'), ('rental', 'disk', 'external'),
  ('rental', 'external', 'variance'), ('rental', 'variance', 'external'),
  ('rental', 'external', 'egress'), ('rental', 'egress', 'external'),
  ('invoice', 'external', 'disk'), ('invoice', 'disk', 'external'),
  ('invoice', 'external', 'egress'), ('invoice', 'egress', 'external'),
  ('invoice', 'external', 'unknown'), ('invoice', 'unknown', 'external'),
  ('invoice', 'external', 'variance'), ('invoice', 'variance', 'external'),
  ('invoice', 'voucher', 'external'),
  ('explain', 'unknown', 'idle'), ('explain', 'idle', 'unknown'),
  ('explain', 'unknown', 'disk'), ('explain', 'disk', 'unknown'),
  ('explain', 'unknown', 'egress'), ('explain', 'egress', 'unknown'),
  ('explain', 'unknown', 'rounding'), ('explain', 'rounding', 'unknown'),
  ('explain', 'unknown', 'variance'), ('explain', 'variance', 'unknown'),
  ('explain', 'unknown', 'overhead_other'), ('explain', 'overhead_other', 'unknown'),
  ('explain', 'unknown', 'spent'), ('explain', 'spent', 'unknown'))
SELECT 'transfers', t.id::text,
       (SELECT t.kind || coalesce(' ' || string_agg(m.debit || ' -> ' || m.credit, ', '), '')
          FROM may m WHERE m.kind = t.kind),
       format('%s %s -> %s', t.kind, d.kind, c.kind)
  FROM transfers t
  JOIN accounts d ON d.id = t.debit
  JOIN accounts c ON c.id = t.credit
 WHERE (t.kind, d.kind, c.kind) NOT IN (SELECT kind, debit, credit FROM may)
 ORDER BY t.id
 LIMIT $1
;

-- name: check_transfer_gap
SELECT 'transfers', id::text, format('%s comes after %s', before + 1, before), id::text
  FROM (SELECT id, coalesce(lag(id) OVER (ORDER BY id), 0) AS before FROM transfers) t
 WHERE id <> before + 1
 ORDER BY id
 LIMIT $1
;

-- name: check_transfer_person
SELECT 'transfers', t.id::text,
       CASE WHEN t.kind IN ('deposit', 'withdraw', 'refund', 'transfer', 'correct', 'purchase',
                             'payment', 'invoice', 'explain')
            THEN 'a member who asked for it'
            ELSE 'nobody: pinka posts it' END,
       coalesce('member ' || t.person, 'nobody')
  FROM transfers t
 WHERE CASE WHEN t.kind IN ('deposit', 'withdraw', 'refund', 'transfer', 'correct', 'purchase',
                             'payment', 'invoice', 'explain')
            THEN NOT EXISTS (SELECT FROM members m WHERE m.id = t.person)
            WHEN t.kind = 'reversal'
              OR (t.kind = 'lapse' AND t.source = 'package')  -- a package may be closed early
            THEN t.person IS NOT NULL AND NOT EXISTS (SELECT FROM members m WHERE m.id = t.person)
            ELSE t.person IS NOT NULL END
 ORDER BY t.id
 LIMIT $1
;

-- A money verb has one key of its person, known for ever, and answered once. A withdrawal and a
-- transfer may take from several lots at once, a refund from several charges, a purchase and the
-- closing of a package touch every portion; what names its entries in the answer has the first of
-- them there, the others after it. A bill's entries, and explanations of it, stand in its own month.
-- name: check_transfer_request
WITH verbs AS (
  SELECT t.id, t.at, t.kind, t.person, t.request_id, t.debit, t.credit, t.asset, t.source, t.invoice,
         count(*) OVER same AS entries, min(t.at) OVER same AS first_at,
         min(t.kind) OVER same = max(t.kind) OVER same
           AND t.kind IN ('withdraw', 'refund', 'transfer', 'purchase', 'lapse', 'invoice')
           AS may_be_many
    FROM transfers t
   WHERE t.request_id <> ''
      OR t.kind IN ('refund', 'transfer', 'correct', 'invoice', 'explain')
  WINDOW same AS (PARTITION BY t.person, t.request_id)
)
SELECT 'transfers', v.id::text,
       coalesce(format('request %s of member %s: %s, %s entries at %s', r.key, r.member,
                       CASE WHEN r.money THEN 'money' ELSE 'no money' END, r.count, r.at),
                'a request that is known'),
       format('%s by request %s of member %s, %s entries at %s', v.kind, v.request_id,
              coalesce(v.person::text, 'none'), v.entries, v.at)
  FROM verbs v
  LEFT JOIN requests r ON r.member = coalesce(v.person, 0) AND r.key = v.request_id
 WHERE v.kind NOT IN ('deposit', 'withdraw', 'refund', 'transfer', 'correct', 'purchase', 'lapse',
                      'payment', 'invoice', 'explain')
    OR r.key IS NULL OR NOT r.money OR r.count <> v.entries
    OR r.at <> CASE WHEN v.kind IN ('invoice', 'explain') THEN greatest(r.at, v.at) ELSE v.at END
    OR (v.entries > 1 AND (NOT v.may_be_many OR v.first_at <> v.at))
    OR (v.kind IN ('purchase', 'lapse')
        AND NOT EXISTS (SELECT FROM packages p
                         WHERE p.id = r.first
                           AND (v.asset = p.id OR p.inventory IN (v.debit, v.credit))))
    OR (v.kind = 'payment' AND NOT EXISTS (SELECT FROM payments y
                                            WHERE y.id = r.first AND y.transfer = v.id))
    OR (v.kind = 'invoice' AND v.invoice IS DISTINCT FROM r.first)
    OR (v.kind = 'deposit' AND NOT EXISTS (SELECT FROM lots l
                                            WHERE l.id = r.first AND l.account = v.credit))
    OR (v.kind IN ('refund', 'transfer', 'correct', 'explain')
        AND v.id NOT BETWEEN r.first AND r.first + r.count - 1)
 ORDER BY v.id
 LIMIT $1
;

-- name: check_request_entries
SELECT 'requests', format('%s/%s', r.member, r.key), format('%s entries at %s', r.count, r.at),
       format('%s entries%s', count(t.id), coalesce(' at ' || min(t.at), ''))
  FROM requests r
  LEFT JOIN transfers t ON t.request_id = r.key AND coalesce(t.person, 0) = r.member
 WHERE r.money OR t.id IS NOT NULL
 GROUP BY r.member, r.key, r.count, r.at, r.money, r.first
HAVING NOT r.money OR count(t.id) <> r.count OR max(t.at) > r.at
    OR bool_or(t.at <> r.at AND t.kind NOT IN ('invoice', 'explain'))
    OR NOT coalesce(bool_and(CASE
             WHEN t.kind = 'withdraw' THEN true
             WHEN t.kind = 'deposit' THEN EXISTS (SELECT FROM lots l
                                                   WHERE l.id = r.first AND l.account = t.credit)
             WHEN t.kind = 'payment' THEN EXISTS (SELECT FROM payments y
                                                   WHERE y.id = r.first AND y.transfer = t.id)
             WHEN t.kind = 'invoice'
               THEN t.invoice = r.first AND EXISTS (SELECT FROM invoices i
                                                     WHERE i.id = r.first AND i.at = r.at)
             WHEN t.kind IN ('purchase', 'lapse')
               THEN EXISTS (SELECT FROM packages p WHERE p.id = r.first
                               AND (t.asset = p.id OR p.inventory IN (t.debit, t.credit)))
             ELSE t.id BETWEEN r.first AND r.first + r.count - 1 END),
             r.count = 0 AND (EXISTS (SELECT FROM packages p WHERE p.id = r.first)
                              OR EXISTS (SELECT FROM invoices i
                                          WHERE i.id = r.first AND i.at = r.at)))
 ORDER BY r.member, r.key
 LIMIT $1
;

-- The dimensions of what an attempt posts, and of what is changed of it, are the attempt's own; the
-- payer is who the entry says.
-- name: check_transfer_dimensions
SELECT 'transfers', t.id::text,
       format('member %s project %s tier %s source %s node %s payer %s', a.member,
              coalesce(a.project::text, 'none'), a.tier, a.source, a.node,
              CASE WHEN x.of_lab THEN 'lab' ELSE 'member ' || a.member END),
       format('member %s project %s tier %s source %s node %s payer %s', coalesce(t.member::text,
       'none'),
              coalesce(t.project::text, 'none'), coalesce(t.tier::text, 'none'), t.source,
              coalesce(t.node::text, 'none'),
              CASE t.payer_kind WHEN 'lab' THEN 'lab' ELSE t.payer_kind || ' ' || t.payer_id END)
  FROM transfers t
  LEFT JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, t.number)
  LEFT JOIN accounts c ON c.id = t.credit
  LEFT JOIN accounts d ON d.id = t.debit
 CROSS JOIN LATERAL (SELECT coalesce(t.kind = 'overhead' OR c.kind = 'external'
                                     OR (t.kind = 'correct' AND d.kind = 'external'),
                                     false) AS of_lab) x
 WHERE (t.kind IN ('charge', 'overhead', 'refund') OR t.job IS NOT NULL)
   AND (a.job IS NULL OR (t.member, t.project, t.tier, t.source, t.node, t.payer_kind, t.payer_id)
        IS DISTINCT FROM
        (a.member, a.project, a.tier, a.source, a.node,
         CASE WHEN x.of_lab THEN 'lab' ELSE 'member' END,
         CASE WHEN x.of_lab THEN 0 ELSE a.member END))
 ORDER BY t.id
 LIMIT $1
;

-- Money verbs carry the owner of their lot (of two, the one that gives) and, where a lot is filled
-- that others name, what it may be spent on. Nothing that a person books carries unit-time.
-- name: check_transfer_owner
SELECT 'transfers', t.id::text,
       format('of %s %s, tier %s, no attempt, node or unit-time', l.owner_kind, l.owner_id,
              CASE WHEN t.kind IN ('withdraw', 'lapse') THEN 'any'
                   ELSE coalesce(l.tier::text, 'any') END),
       format('payer %s %s, member %s, project %s, tier %s, attempt %s, node %s, %s unit-ms',
       t.payer_kind,
              t.payer_id, coalesce(t.member::text, 'none'), coalesce(t.project::text, 'none'),
              coalesce(t.tier::text, 'any'), coalesce(t.job::text, 'none'),
              coalesce(t.node::text, 'none'), t.unit_ms)
  FROM transfers t
  LEFT JOIN transfers e ON e.id = t.linked AND t.kind = 'correct'
  JOIN lots l ON l.account = CASE WHEN t.kind IN ('deposit', 'purchase') THEN t.credit
                                  WHEN e.kind = 'deposit' THEN e.credit ELSE t.debit END
 WHERE (t.kind IN ('deposit', 'withdraw', 'lapse', 'transfer', 'purchase') OR e.kind = 'deposit')
   AND ((t.payer_kind, t.payer_id, t.member, t.project, t.tier, t.unit_ms)
        IS DISTINCT FROM
        (l.owner_kind, l.owner_id, CASE WHEN l.owner_kind = 'member' THEN l.owner_id END,
         CASE WHEN l.owner_kind = 'project' THEN l.owner_id END,
         CASE WHEN t.kind NOT IN ('withdraw', 'lapse') THEN l.tier END, 0)
        OR num_nonnulls(t.job, t.index, t.number, t.node) > 0)
 ORDER BY t.id
 LIMIT $1
;

-- A withdrawal goes back to who had paid in what its lot holds. A charge draws on the attempt's own
-- lines, the cost of a package's hours on its inventory, and goes
-- to its member's spending; what the lab pays
-- goes to the account of its cause; what lapses stays with its owner.
-- name: check_transfer_account
WITH causes AS (
  SELECT a.job, a.index, a.number,
         CASE WHEN s.payer = 'member'
                OR (s.payer = 'checkpoint'
                    AND (a.checkpoint_ms = 0
                         OR a.checkpoint_ms >= least(a.metered_ms - a.overrun_ms,
                                                     div(a.time_limit_us, 1000))))
              THEN 'overhead_overrun'
              WHEN a.end_reason IN ('LaunchFailed', 'StagingFailed') THEN 'overhead_start'
              WHEN a.end_reason IN ('HardwareWrong', 'HardwareLost', 'NodeLost', 'NodeRebooted',
                                    'SupervisorLost', 'DiskFull') THEN 'overhead_node'
              ELSE 'overhead_other' END AS cause
    FROM settlements s JOIN attempts a USING (job, index, number))
SELECT 'transfers', t.id::text,
       CASE t.kind
         WHEN 'charge' THEN format('from a lot of the lines of %s_%s.%s to spent of member %s',
         t.job,
                                   t.index, t.number, a.member)
         WHEN 'overhead' THEN format('to %s of the lab', coalesce(k.cause, 'no account'))
         WHEN 'transfer' THEN format('to a lot of another owner than %s %s', d.owner_kind,
                                     d.owner_id)
         WHEN 'withdraw' THEN coalesce('to paid_in of member ' || l.payer, 'to external of the lab')
         ELSE format('to lapsed of %s %s', d.owner_kind, d.owner_id) END,
       format('from account %s to %s of %s %s', t.debit, c.kind, c.owner_kind, c.owner_id)
  FROM transfers t
  JOIN accounts d ON d.id = t.debit
  JOIN accounts c ON c.id = t.credit
  LEFT JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, t.number)
  LEFT JOIN causes k ON (k.job, k.index, k.number) = (t.job, t.index, t.number)
  LEFT JOIN lots l ON l.account = t.debit AND t.kind = 'withdraw'
 WHERE CASE t.kind
         WHEN 'charge' THEN (c.owner_kind, c.owner_id) IS DISTINCT FROM ('member', a.member)
              OR (NOT EXISTS (SELECT FROM hold_lines h JOIN lots l ON l.id = h.lot
                               WHERE (h.job, h.index, h.number) = (t.job, t.index, t.number)
                                 AND l.account = t.debit)
                  AND NOT EXISTS (SELECT FROM holds h JOIN packages p ON p.id = h.asset
                                   WHERE (h.job, h.index, h.number) = (t.job, t.index, t.number)
                                     AND p.inventory = t.debit))
         WHEN 'overhead' THEN (c.kind, c.owner_kind) IS DISTINCT FROM (k.cause, 'lab')
              OR d.owner_kind <> 'lab'
         WHEN 'lapse' THEN d.kind = 'lot'
              AND (c.owner_kind, c.owner_id) <> (d.owner_kind, d.owner_id)
         WHEN 'transfer' THEN (c.owner_kind, c.owner_id) = (d.owner_kind, d.owner_id)
         WHEN 'withdraw' THEN (c.kind, c.owner_id)
              <> (CASE WHEN l.payer IS NULL THEN 'external' ELSE 'paid_in' END, coalesce(l.payer, 0))
         ELSE false END
 ORDER BY t.id
 LIMIT $1
;

-- Charges stand at the attempt's end, or in the last microsecond of a month that it ran through; of
-- one that was closed by force, in the first of the next.
-- What lapses does so when its lot ends or when a hold on it gives something back.
-- name: check_transfer_time
SELECT 'transfers', t.id::text,
       CASE WHEN t.kind = 'lapse' THEN format('at the end of lot %s, %s, or a later release',
       l.id, l.ends_at)
            WHEN t.kind = 'deposit' THEN format('in lot %s from %s on', l.id, l.starts_at)
            WHEN t.kind = 'charge' THEN format('at the end of the attempt, %s, or of a month',
                                               coalesce(a.ended_at::text, 'still open'))
            ELSE format('at the end of the attempt, %s', coalesce(a.ended_at::text,
            'still open')) END,
       t.at::text
  FROM transfers t
  LEFT JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, t.number)
  LEFT JOIN lots l ON l.account IN (t.debit, t.credit) AND t.kind IN ('deposit', 'lapse')
 CROSS JOIN leader
 WHERE t.at > leader.core_now
    OR CASE t.kind
         WHEN 'charge' THEN t.at IS DISTINCT FROM a.ended_at
              AND NOT (t.at > a.ordered_at AND (a.ended_at IS NULL OR t.at < a.ended_at)
                       AND (EXISTS (SELECT FROM periods p WHERE p.kind = 'month'
                                       AND p.end_at = t.at + interval '1 microsecond')
                            OR EXISTS (SELECT FROM months m WHERE m.forced AND m.end_at = t.at)))
         WHEN 'overhead' THEN t.at IS DISTINCT FROM a.ended_at
         WHEN 'deposit' THEN t.at < l.starts_at
         WHEN 'lapse' THEN t.at <> l.ends_at
              AND NOT (t.at > l.ends_at
                       AND (EXISTS (SELECT FROM hold_lines n JOIN holds h USING (job, index, number)
                                     WHERE n.lot = l.id AND h.closed_at = t.at)
                            OR EXISTS (SELECT FROM hold_lines n
                                         JOIN hold_cuts c USING (job, index, number, n)
                                        WHERE n.lot = l.id AND c.at = t.at)))
         ELSE false END
 ORDER BY t.id
 LIMIT $1
;

-- Every posting of an attempt is cost(unit-time so far) - posted so far, and its unit-time stands on
-- its first entry. On a package it is the unit-time itself: 3600000 an hour.
-- name: check_charge_posting
WITH c AS (
  SELECT t.id, t.job, t.index, t.number, t.at, t.amount::numeric AS amount,
         t.unit_ms::numeric AS unit_ms,
         CASE WHEN a.source = 'package' THEN 3600000 ELSE a.rate::numeric END AS rate,
         row_number() OVER (PARTITION BY t.job, t.index, t.number, t.at ORDER BY t.id) AS nth,
         sum(t.amount::numeric) OVER posting AS posted_after,
         sum(t.unit_ms::numeric) OVER posting AS unit_ms_after,
         sum(t.amount::numeric) OVER (PARTITION BY t.job, t.index, t.number, t.at) AS posting
    FROM transfers t
    JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, t.number)
   WHERE t.kind = 'charge' AND (t.asset = 1) = (a.source <> 'package')
  WINDOW posting AS (PARTITION BY t.job, t.index, t.number ORDER BY t.at)
), d AS (
  SELECT *, div(2 * unit_ms_after * rate + 3600000,
         7200000) - (posted_after - posting) AS due FROM c
)
SELECT 'transfers', id::text,
       format('%s of the posting of %s_%s.%s at %s: %s unit-ms in all, on its first entry',
              due * 0.000001, job, index, number, at, unit_ms_after),
       format('%s, of it %s with %s unit-ms here', posting * 0.000001, amount * 0.000001, unit_ms)
  FROM d
 WHERE due <> posting OR (nth > 1 AND unit_ms <> 0)
 ORDER BY id
 LIMIT $1
;
