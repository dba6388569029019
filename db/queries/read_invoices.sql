-- Providers' bills: what core loads of them, and what people see.

-- name: load_invoices
SELECT id, provider, ref, starts_at, ends_at, payer, total, charges, at, by, booked_at
  FROM invoices
 ORDER BY id
;

-- name: load_invoice_lines
SELECT invoice, n, kind, instance, text, starts_at, ends_at, amount, rental, unknown, charges, idle,
       rounding, disk, variance, egress
  FROM invoice_lines
 WHERE unknown <> 0
 ORDER BY invoice, n
;

-- name: load_covered
SELECT rental, max(ends_at) FILTER (WHERE kind = 'compute'),
       max(ends_at) FILTER (WHERE kind = 'disk'), sum(charges)::bigint, sum(idle)::bigint,
       sum(rounding)::bigint, sum(disk)::bigint, sum(variance)::bigint,
       max(ends_at) FILTER (WHERE kind = 'egress'), sum(egress)::bigint
  FROM invoice_lines
 WHERE rental IS NOT NULL
 GROUP BY rental
 ORDER BY rental
;

-- $1: one bill, or 0 for all; the newest first.
-- name: list_invoices
SELECT i.id, i.provider, i.ref, i.starts_at, i.ends_at, i.payer, i.total, i.charges, i.at, i.by,
       i.booked_at,
       (SELECT coalesce(sum(l.unknown), 0)::bigint FROM invoice_lines l
         WHERE l.invoice = i.id AND l.unknown <> 0),
       (SELECT count(*) FROM invoice_lines l WHERE l.invoice = i.id AND l.unknown <> 0)
  FROM invoices i
 WHERE $1::bigint = 0 OR i.id = $1::bigint
 ORDER BY i.id DESC
;

-- $1: a bill.
-- name: list_invoice_lines
SELECT invoice, n, kind, instance, text, starts_at, ends_at, amount, rental, unknown, charges, idle,
       rounding, disk, variance, egress
  FROM invoice_lines
 WHERE invoice = $1::bigint
 ORDER BY n
;

-- What of a bill's unknown was explained, by account, and to which member. $1: the bill.
-- name: invoice_explained
SELECT kind, member, sum(amount)::bigint
  FROM (SELECT CASE d.kind WHEN 'unknown' THEN c.kind ELSE d.kind END AS kind,
               coalesce(t.member, 0) AS member,
               CASE d.kind WHEN 'unknown' THEN t.amount ELSE -t.amount END AS amount
          FROM transfers t
          JOIN accounts d ON d.id = t.debit
          JOIN accounts c ON c.id = t.credit
         WHERE t.invoice = $1::bigint AND t.kind = 'explain') e
 GROUP BY kind, member
 ORDER BY kind, member
;
