-- What a batch writes of the month's end: one statement a table, one array a column, in the columns'
-- order. After the transfers.

-- Of a known month only its settling is written.
-- name: write_months
INSERT INTO months (start_at, end_at, closed_at, forced, by, settled_at, spread, settled_by)
SELECT start_at, end_at, closed_at, forced, by, settled_at, spread, settled_by
  FROM unnest($1::timestamptz[], $2::timestamptz[], $3::timestamptz[], $4::boolean[],
              $5::bigint[], $6::timestamptz[], $7::text[], $8::bigint[])
    AS r(start_at, end_at, closed_at, forced, by, settled_at, spread, settled_by)
    ON CONFLICT (start_at) DO UPDATE
   SET (settled_at, spread, settled_by)
     = (excluded.settled_at, excluded.spread, excluded.settled_by)
;

-- name: write_positions
INSERT INTO positions (month, member, paid, settled, spent, overhead, lapsed, carried, position)
SELECT month, member, paid, settled, spent, overhead, lapsed, carried, position
  FROM unnest($1::timestamptz[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
              $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
    AS r(month, member, paid, settled, spent, overhead, lapsed, carried, position)
;

-- Of a known payment only that it was made.
-- name: write_payments
INSERT INTO payments (id, month, payer, payee, amount, state, proposed_at, paid_at, ref, transfer)
SELECT id, month, payer, payee, amount, state, proposed_at, paid_at, ref, transfer
  FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[],
              $6::text[], $7::timestamptz[], $8::timestamptz[], $9::text[], $10::bigint[])
    AS r(id, month, payer, payee, amount, state, proposed_at, paid_at, ref, transfer)
    ON CONFLICT (id) DO UPDATE
   SET (state, paid_at, ref, transfer)
     = (excluded.state, excluded.paid_at, excluded.ref, excluded.transfer)
;
