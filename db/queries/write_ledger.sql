-- What a batch writes: one statement a table, one array a column, in the columns' order.

-- name: write_accounts
INSERT INTO accounts (id, kind, owner_kind, owner_id, asset)
SELECT id, kind, owner_kind, owner_id, asset
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
    AS r(id, kind, owner_kind, owner_id, asset)
;

-- name: write_lots
INSERT INTO lots (id, account, asset, owner_kind, owner_id, tier, starts_at, ends_at, credited,
                  posted,
                  held, credit_limit, lapsed, payer)
SELECT id, account, asset, owner_kind, owner_id, tier, starts_at, ends_at, credited, posted, held,
       credit_limit, lapsed, payer
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[],
              $7::timestamptz[], $8::timestamptz[], $9::bigint[], $10::bigint[],
              $11::bigint[], $12::bigint[], $13::boolean[], $14::bigint[])
    AS r(id, account, asset, owner_kind, owner_id, tier, starts_at, ends_at, credited, posted,
          held, credit_limit, lapsed, payer)
;

-- Known lots: flags only, amounts go by moves.
-- name: write_lot_flags
WITH f AS (
  SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::boolean[]) AS f(lot, ends_at, lapsed)
), written AS (
  UPDATE lots SET ends_at = f.ends_at, lapsed = f.lapsed FROM f WHERE lots.id = f.lot
  RETURNING lots.id
)
SELECT refuse(format('no such lot: lot %s', f.lot))
  FROM f WHERE NOT EXISTS (SELECT FROM written w WHERE w.id = f.lot)
;

-- The guarded statement: what a batch moves in each lot, applied as deltas. Where a hold was made
-- on a lot, its available must not end below zero, or the whole batch is refused.
-- name: move_lots
WITH m AS (
  SELECT lot, sum(credited)::bigint AS credited, sum(posted)::bigint AS posted,
         sum(held)::bigint AS held, bool_or(guarded) AS guarded
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[])
      AS m(lot, credited, posted, held, guarded)
   GROUP BY lot
), moved AS (
  UPDATE lots
     SET credited = lots.credited + m.credited,
         posted = lots.posted + m.posted,
         held = lots.held + m.held
    FROM m
   WHERE lots.id = m.lot
     AND (NOT m.guarded
          OR (lots.credited + m.credited) - (lots.posted + m.posted) - (lots.held + m.held)
             + lots.credit_limit >= 0)
  RETURNING lots.id
)
SELECT refuse(format('floor: lot %s', m.lot))
  FROM m WHERE NOT EXISTS (SELECT FROM moved WHERE moved.id = m.lot)
 ORDER BY m.lot
;

-- name: write_holds
INSERT INTO holds (job, index, number, asset, amount, posted, state, at, closed_at, reason)
SELECT job, index, number, asset, amount, posted, state, at, closed_at, reason
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[],
              $6::bigint[], $7::text[], $8::timestamptz[], $9::timestamptz[],
              $10::text[])
    AS r(job, index, number, asset, amount, posted, state, at, closed_at, reason)
    ON CONFLICT (job, index, number) DO UPDATE
   SET (asset, amount, posted, state, at, closed_at, reason)
     = (excluded.asset, excluded.amount, excluded.posted, excluded.state, excluded.at,
        excluded.closed_at, excluded.reason)
;

-- name: write_hold_lines
INSERT INTO hold_lines (job, index, number, n, lot, amount, posted)
SELECT job, index, number, n, lot, amount, posted
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::bigint[],
              $6::bigint[], $7::bigint[])
    AS r(job, index, number, n, lot, amount, posted)
    ON CONFLICT (job, index, number, n) DO UPDATE
   SET (lot, amount, posted)
     = (excluded.lot, excluded.amount, excluded.posted)
;

-- name: write_hold_cuts
INSERT INTO hold_cuts (job, index, number, n, at, amount)
SELECT job, index, number, n, at, amount
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::timestamptz[],
              $6::bigint[])
    AS r(job, index, number, n, at, amount)
    ON CONFLICT (job, index, number, n, at) DO UPDATE
   SET amount = hold_cuts.amount + excluded.amount
;

-- name: write_settlements
INSERT INTO settlements (job, index, number, at, charged, lab, metered_ms, hash, payer)
SELECT job, index, number, at, charged, lab, metered_ms, hash,
       payer
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::timestamptz[], $5::bigint[],
              $6::bigint[], $7::bigint[], $8::text[],
              $9::text[])
    AS r(job, index, number, at, charged, lab, metered_ms, hash, payer)
;

-- name: write_transfers
INSERT INTO transfers (id, at, asset, debit, credit, amount, kind, reason, person, request_id,
                       member,
                       project, job, index, number, tier, source, node, payer_kind,
                       payer_id, unit_ms, linked, rental, invoice)
SELECT id, at, asset, debit, credit, amount, kind, reason, person, request_id, member, project,
       job, index, number, tier, source, node, payer_kind, payer_id, unit_ms, linked,
       rental, invoice
  FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[],
              $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::text[],
              $11::bigint[], $12::bigint[], $13::bigint[], $14::integer[],
              $15::integer[], $16::bigint[], $17::text[], $18::bigint[],
              $19::text[], $20::bigint[], $21::bigint[], $22::bigint[],
              $23::bigint[], $24::bigint[])
    AS r(id, at, asset, debit, credit, amount, kind, reason, person, request_id, member,
          project, job, index, number, tier, source, node, payer_kind, payer_id,
          unit_ms, linked, rental, invoice)
;

-- name: write_limits
INSERT INTO limits (id, resource, applies_to, scope_kind, scope_id, member, tier, period, unlimited,
                    amount, until, absent, starts_at, notify_at, block_at)
SELECT id, resource, applies_to, scope_kind, scope_id, member, tier, period, unlimited, amount,
       until, absent,
       starts_at, notify_at::integer[], block_at
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
              $7::bigint[], $8::text[], $9::boolean[], $10::bigint[],
              $11::timestamptz[], $12::boolean[],
              $13::timestamptz[], $14::text[], $15::integer[])
    AS r(id, resource, applies_to, scope_kind, scope_id, member, tier, period, unlimited,
          amount, until, absent, starts_at, notify_at, block_at)
    ON CONFLICT (id) DO UPDATE
   SET (resource, applies_to, scope_kind, scope_id, member, tier, period, unlimited, amount, until,
        absent,
        starts_at, notify_at, block_at)
     = (excluded.resource, excluded.applies_to, excluded.scope_kind, excluded.scope_id,
        excluded.member, excluded.tier, excluded.period, excluded.unlimited,
        excluded.amount, excluded.until, excluded.absent,
        excluded.starts_at, excluded.notify_at, excluded.block_at)
;

-- name: write_thresholds
INSERT INTO thresholds (limit_id, member, percent, start_at, at)
SELECT limit_id, member, percent, start_at, at
  FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::timestamptz[], $5::timestamptz[])
    AS r(limit_id, member, percent, start_at, at)
;

-- name: write_payers
INSERT INTO payers (reason, payer)
SELECT reason, payer
  FROM unnest($1::text[], $2::text[])
    AS r(reason, payer)
    ON CONFLICT (reason) DO UPDATE SET payer = excluded.payer
;

-- name: write_spend
INSERT INTO spend (member, project, tier, period, start_at, charged, unit_ms)
SELECT member, project, tier, period, start_at, charged, unit_ms
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[],
              $6::bigint[], $7::bigint[])
    AS r(member, project, tier, period, start_at, charged, unit_ms)
    ON CONFLICT (period, start_at, member, project, tier) DO UPDATE
   SET (charged, unit_ms)
     = (excluded.charged, excluded.unit_ms)
;

-- name: write_usage
INSERT INTO usage (member, amount, project)
SELECT member, amount::numeric,
       project
  FROM unnest($1::bigint[], $2::text[],
              $3::bigint[])
    AS r(member, amount, project)
    ON CONFLICT (member, project) DO UPDATE SET amount = excluded.amount
;
