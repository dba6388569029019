-- What a batch writes of providers' bills: one statement a table, one array a column, in the
-- columns' order. Before the transfers.

-- name: write_invoices
INSERT INTO invoices (id, provider, ref, starts_at, ends_at, payer, total, charges, at, by,
                      booked_at)
SELECT id, provider, ref, starts_at, ends_at, payer, total, charges, at, by, booked_at
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[],
              $6::bigint[], $7::bigint[], $8::bigint[], $9::timestamptz[], $10::bigint[],
              $11::timestamptz[])
    AS r(id, provider, ref, starts_at, ends_at, payer, total, charges, at, by, booked_at)
;

-- Of a known line only what is unknown of it.
-- name: write_invoice_lines
INSERT INTO invoice_lines (invoice, n, kind, instance, text, starts_at, ends_at, amount, rental,
                           unknown, charges, idle, rounding, disk, variance, egress)
SELECT invoice, n, kind, instance, text, starts_at, ends_at, amount, rental, unknown, charges, idle,
       rounding, disk, variance, egress
  FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
              $7::timestamptz[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[],
              $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[])
    AS r(invoice, n, kind, instance, text, starts_at, ends_at, amount, rental, unknown, charges,
         idle, rounding, disk, variance, egress)
    ON CONFLICT (invoice, n) DO UPDATE SET unknown = excluded.unknown
;
