-- What a batch writes of packages: one statement a table, one array a column, in the columns' order.

-- Before their accounts.
-- name: write_assets
INSERT INTO assets (id, kind, package)
SELECT id, 'unit_time', id::text FROM unnest($1::bigint[]) AS r(id)
    ON CONFLICT DO NOTHING
;

-- Of a known package only its course is written: the terms stand.
-- name: write_packages
INSERT INTO packages (id, tier, kind, provider, payer, price, total_ms, units, bought_at, starts_at,
                      ends_at, split, borrow, borrow_ms, lapse_to, inventory, used_ms, moved,
                      lapsed, closed_at)
SELECT id, tier, kind, provider, payer, price, total_ms, units, bought_at, starts_at, ends_at,
       split, borrow, borrow_ms, lapse_to, inventory, used_ms, moved, lapsed, closed_at
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
              $7::bigint[], $8::integer[], $9::timestamptz[], $10::timestamptz[],
              $11::timestamptz[], $12::text[], $13::text[], $14::bigint[], $15::text[],
              $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::timestamptz[])
    AS r(id, tier, kind, provider, payer, price, total_ms, units, bought_at, starts_at, ends_at,
         split, borrow, borrow_ms, lapse_to, inventory, used_ms, moved, lapsed, closed_at)
    ON CONFLICT (id) DO UPDATE
   SET (used_ms, moved, lapsed, closed_at)
     = (excluded.used_ms, excluded.moved, excluded.lapsed, excluded.closed_at)
;

-- name: write_portions
INSERT INTO portions (package, member, share, total_ms, cost, lot, borrowed_ms, borrowing_ms,
                      lapsed_ms, lapsed)
SELECT package, member, share, total_ms, cost, lot, borrowed_ms, borrowing_ms, lapsed_ms, lapsed
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
              $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
    AS r(package, member, share, total_ms, cost, lot, borrowed_ms, borrowing_ms, lapsed_ms, lapsed)
    ON CONFLICT (package, member) DO UPDATE
   SET (borrowed_ms, borrowing_ms, lapsed_ms, lapsed)
     = (excluded.borrowed_ms, excluded.borrowing_ms, excluded.lapsed_ms, excluded.lapsed)
;
