-- The second opinion on providers' bills (scheduler/check); the form of answers: check_transfers.sql.
-- An entry says in its reason which line it is of: "line 3: ...".

-- What was booked for a line when its bill came is its amount less what it covers of its rental, once,
-- on the account of its kind; a bill is its lines, numbered from 1.
-- name: check_invoice_lines
WITH e AS (
  SELECT t.*, substring(t.reason FROM '^line ([0-9]{1,6}): ')::integer AS n,
         CASE d.kind WHEN 'external' THEN c.kind ELSE d.kind END AS account,
         CASE d.kind WHEN 'external' THEN t.amount::numeric ELSE -t.amount END AS moved
    FROM transfers t
    JOIN accounts d ON d.id = t.debit
    JOIN accounts c ON c.id = t.credit
   WHERE t.kind = 'invoice'
), l AS (
  SELECT l.invoice, l.n, l.text, l.rental, i.booked_at AS at, i.by,
         l.amount::numeric - l.charges - l.idle - l.rounding - l.disk - l.variance - l.egress AS due,
         CASE WHEN l.kind = 'voucher' THEN 'voucher'
              WHEN l.kind = 'other' THEN 'unknown'
              WHEN l.rental IS NULL AND (l.kind <> 'egress' OR l.instance <> '') THEN 'unknown'
              WHEN l.kind = 'compute' THEN 'variance'
              ELSE l.kind END AS account
    FROM invoice_lines l LEFT JOIN invoices i ON i.id = l.invoice
), booked AS (
  SELECT l.invoice, l.n, l.due, l.account, l.rental, count(e.id) AS entries,
         coalesce(sum(e.moved), 0) AS moved, min(e.account) AS on_account,
         coalesce(bool_and((e.account, e.at, e.person, e.reason)
                             IS NOT DISTINCT FROM
                           (l.account, l.at, l.by, format('line %s: %s', l.n, l.text))
                           AND e.rental IS NOT DISTINCT FROM l.rental
                           AND (e.rental IS NULL) = (e.node IS NULL)
                           AND (e.rental IS NULL) = (e.tier IS NULL)
                           AND (e.payer_kind, e.payer_id, e.unit_ms, e.asset) = ('lab', 0, 0, 1)
                           AND num_nonnulls(e.member, e.project, e.job, e.linked) = 0)
                    FILTER (WHERE e.id IS NOT NULL), true) AS fits
    FROM l LEFT JOIN e ON (e.invoice, e.n) = (l.invoice, l.n)
   GROUP BY l.invoice, l.n, l.due, l.account, l.rental
), wrong AS (
  SELECT * FROM booked WHERE moved <> due OR entries <> (due <> 0)::integer OR NOT fits
), bills AS (
  SELECT i.*, least(i.at, greatest(x.last_at, (SELECT max(m.end_at) FROM months m
                                                WHERE m.closed_at < i.at))) AS due_at,
         -- a month that was closed in the same instant
         least(i.at, greatest(x.last_at, (SELECT max(m.end_at) FROM months m
                                           WHERE m.closed_at <= i.at))) AS or_at,
         coalesce(s.lines, 0) AS lines, s.last, s.sum, s.charged, s.from_at, s.to_at
    FROM invoices i
   CROSS JOIN LATERAL (SELECT greatest(i.starts_at, i.ends_at - interval '1 microsecond')
                         AS last_at) x
    LEFT JOIN (SELECT invoice, count(*) AS lines, max(n) AS last, sum(amount::numeric) AS sum,
                      sum(charges::numeric) AS charged, min(starts_at) AS from_at,
                      max(ends_at) AS to_at
                 FROM invoice_lines GROUP BY invoice) s ON s.invoice = i.id
)
SELECT 'invoice_lines', format('%s/%s', invoice, n),
       format('%s on %s of rental %s, in one entry as it came', due * 0.000001, account,
              coalesce(rental::text, 'none')),
       format('%s in %s entries on %s', moved * 0.000001, entries, coalesce(on_account, 'no account'))
  FROM wrong
 UNION ALL
SELECT 'transfers', e.id::text, 'the entry of one line of its bill, as that came',
       format('%s on %s, %s', e.moved * 0.000001, e.account, e.reason)
  FROM e LEFT JOIN booked b ON (b.invoice, b.n) = (e.invoice, e.n)
 WHERE b.n IS NULL OR EXISTS (SELECT FROM wrong w WHERE (w.invoice, w.n) = (b.invoice, b.n))
 UNION ALL
SELECT 'invoices', b.id::text,
       format('%s in %s lines from %s to %s, %s of it charges, booked at %s', b.sum * 0.000001, b.last,
              b.from_at, b.to_at, b.charged * 0.000001, b.due_at),
       format('%s in %s lines from %s to %s, %s of it charges, booked at %s, imported at %s by %s',
              b.total * 0.000001, b.lines, b.starts_at, b.ends_at, b.charges * 0.000001, b.booked_at, b.at,
              coalesce(b.by::text, 'nobody'))
  FROM bills b
 WHERE b.lines = 0 OR b.lines <> b.last OR b.total <> b.sum OR b.charges <> b.charged
    OR (b.starts_at, b.ends_at) <> (b.from_at, b.to_at)
    OR b.booked_at NOT IN (b.due_at, b.or_at, b.at)  -- at its import: so it was before
    OR NOT EXISTS (SELECT FROM members m WHERE m.id = b.by)
    OR EXISTS (SELECT FROM e WHERE e.invoice = b.id AND (e.at, e.person) <> (b.booked_at, b.by))
 ORDER BY 1, 2
 LIMIT $1
;

-- What is unknown of a line is what came as unknown less what was explained of it; a month is closed
-- only when nothing is unknown of the bills that reach into it.
-- name: check_invoice_unknown
WITH e AS (
  SELECT t.id, t.kind, t.invoice, substring(t.reason FROM '^line ([0-9]{1,6}): ')::integer AS n,
         CASE c.kind WHEN 'unknown' THEN t.amount::numeric ELSE -t.amount END AS moved,
         CASE c.kind WHEN 'unknown' THEN d.id ELSE c.id END AS other,
         t.member, t.payer_kind, t.payer_id, t.unit_ms,
         num_nonnulls(t.project, t.job, t.tier, t.node, t.rental, t.linked) AS more, t.at
    FROM transfers t
    JOIN accounts d ON d.id = t.debit
    JOIN accounts c ON c.id = t.credit
   WHERE 'unknown' IN (c.kind, d.kind) OR t.kind = 'explain'
), left_over AS (
  SELECT l.invoice, l.n, l.amount, l.unknown, coalesce(sum(e.moved), 0) AS due,
         coalesce(bool_or(sign(e.moved) = sign(l.amount) AND e.kind = 'explain'), false) AS grows
    FROM invoice_lines l LEFT JOIN e ON (e.invoice, e.n) = (l.invoice, l.n)
   GROUP BY l.invoice, l.n, l.amount, l.unknown
), wrong AS (
  SELECT * FROM left_over
   WHERE unknown <> due OR grows OR (unknown <> 0 AND sign(unknown) <> sign(amount))
)
SELECT 'invoice_lines', format('%s/%s', invoice, n), due * 0.000001 || ' not explained',
       unknown * 0.000001 || ' unknown'
  FROM wrong
 UNION
SELECT 'invoice_lines', format('%s/%s', l.invoice, l.n),
       format('explained before %s was closed at %s', m.start_at, m.closed_at),
       l.unknown * 0.000001 || ' unknown'
  FROM invoice_lines l
  JOIN invoices i ON i.id = l.invoice
  JOIN months m ON i.starts_at < m.end_at AND i.at < m.closed_at
 WHERE l.unknown <> 0
 UNION
SELECT 'transfers', e.id::text,
       'a part of what is unknown of a line, after its bill, of the owner of its other account',
       format('%s of line %s of bill %s at %s, payer %s %s, member %s', -e.moved * 0.000001,
              coalesce(e.n::text, 'none'), coalesce(e.invoice::text, 'none'), e.at, e.payer_kind,
              e.payer_id, coalesce(e.member::text, 'none'))
  FROM e
  JOIN accounts a ON a.id = e.other
  LEFT JOIN invoices i ON i.id = e.invoice
  LEFT JOIN left_over l ON (l.invoice, l.n) = (e.invoice, e.n)
 WHERE e.kind = 'explain'
   AND (l.n IS NULL OR e.at < i.booked_at OR e.more > 0 OR e.unit_ms <> 0
        OR (e.payer_kind, e.payer_id) <> (a.owner_kind, a.owner_id)
        OR e.member IS DISTINCT FROM CASE a.owner_kind WHEN 'member' THEN a.owner_id END
        OR EXISTS (SELECT FROM wrong w WHERE (w.invoice, w.n) = (e.invoice, e.n)))
 ORDER BY 1, 2
 LIMIT $1
;

-- The identity of each bill, from entries and from what its lines cover: total = charges + idle +
-- rounding + disk + egress + variance - vouchers + unknown, with what was explained where it went.
-- name: check_invoice_identity
WITH moves AS (
  SELECT t.invoice, a.kind,
         sum(CASE a.id WHEN t.credit THEN t.amount::numeric ELSE -t.amount END) AS amount
    FROM transfers t JOIN accounts a ON a.id IN (t.debit, t.credit)
   WHERE t.invoice IS NOT NULL AND t.kind IN ('invoice', 'explain') AND a.kind <> 'external'
   GROUP BY t.invoice, a.kind
), sums AS (
  SELECT i.id, i.total,
         (SELECT coalesce(sum(l.charges::numeric + l.idle + l.rounding + l.disk + l.variance
                              + l.egress), 0)
            FROM invoice_lines l WHERE l.invoice = i.id) AS covered,
         (SELECT coalesce(sum(m.amount), 0) FROM moves m WHERE m.invoice = i.id) AS booked,
         (SELECT string_agg(format('%s %s', m.amount * 0.000001, m.kind), ', ' ORDER BY m.kind)
            FROM moves m WHERE m.invoice = i.id) AS parts
    FROM invoices i
)
SELECT 'invoices', id::text,
       format('%s covered of rentals, and %s', covered * 0.000001, coalesce(parts, 'nothing')),
       total * 0.000001 || ' in all'
  FROM sums WHERE total <> covered + booked
 ORDER BY 2
 LIMIT $1
;

-- Bills cover of a rental what it has posted, and nothing twice. What rounding half away has posted may
-- be below zero.
-- name: check_invoice_covered
WITH covered AS (
  SELECT rental, x.account, sum(x.amount) AS amount
    FROM invoice_lines l
   CROSS JOIN LATERAL (VALUES ('idle', l.idle::numeric), ('rounding', l.rounding::numeric),
                              ('disk', l.disk::numeric), ('egress', l.egress::numeric))
           AS x (account, amount)
   WHERE l.rental IS NOT NULL
   GROUP BY rental, x.account
), posted AS (
  SELECT t.rental, a.kind AS account,
         sum(CASE a.id WHEN t.credit THEN t.amount::numeric ELSE -t.amount END) AS amount
    FROM transfers t JOIN accounts a ON a.id IN (t.debit, t.credit)
   WHERE t.kind = 'rental' AND a.kind IN ('idle', 'rounding', 'disk', 'egress')
   GROUP BY t.rental, a.kind
), wrong AS (
  SELECT c.*, coalesce(p.amount, 0) AS most
    FROM covered c LEFT JOIN posted p USING (rental, account)
   WHERE c.amount NOT BETWEEN least(coalesce(p.amount, 0), 0) AND greatest(coalesce(p.amount, 0), 0)
)
SELECT 'invoice_lines', format('%s/%s', l.invoice, l.n),
       format('of rental %s at most %s %s', w.rental, w.most * 0.000001, w.account),
       w.amount * 0.000001 || ' by all bills'
  FROM wrong w JOIN invoice_lines l ON l.rental = w.rental
 ORDER BY 2
 LIMIT $1
;
