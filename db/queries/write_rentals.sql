-- What a batch writes of billing rules and rentals: one statement a table, one array a column, in
-- the columns' order.

-- name: write_billing
INSERT INTO billing (tier, source, valid_from, provider, rate, stopped_rate, minimum_us, block_us,
                     rounding, round_at, round_to, cut_us, cut_offset_us, disk, egress, notice_us)
SELECT tier, source, valid_from, provider, rate, stopped_rate, minimum_us, block_us, rounding,
       round_at, round_to, cut_us, cut_offset_us, disk, egress, notice_us
  FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::bigint[], $6::bigint[],
              $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::bigint[],
              $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[])
    AS r(tier, source, valid_from, provider, rate, stopped_rate, minimum_us, block_us, rounding,
         round_at, round_to, cut_us, cut_offset_us, disk, egress, notice_us)
;

-- Of a known rental its end and its sums are written: what it is stands.
-- name: write_rentals
INSERT INTO rentals (id, node, tier, source, provider, instance, units, rate, stopped_rate,
                     minimum_us, block_us, rounding, round_at, round_to, cut_us, cut_offset_us,
                     disk_rate, egress, notice_us, disk_gb, opened_at, closed_at, by_hand,
                     posted_at, billed, members, lab, idle, rounded, disk, variance, used_ms,
                     since_members, since_lab, since_used_ms, stopped, egress_bytes,
                     egress_cost)
SELECT id, node, tier, source, provider, instance, units, rate, stopped_rate, minimum_us, block_us,
       rounding, round_at, round_to, cut_us, cut_offset_us, disk_rate, egress, notice_us, disk_gb,
       opened_at, closed_at, by_hand, posted_at, billed, members, lab, idle, rounded, disk,
       variance, used_ms, since_members, since_lab, since_used_ms, stopped, egress_bytes, egress_cost
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
              $7::integer[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[],
              $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[],
              $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::timestamptz[],
              $22::timestamptz[], $23::boolean[], $24::timestamptz[], $25::bigint[],
              $26::bigint[], $27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[],
              $31::bigint[], $32::bigint[], $33::bigint[], $34::bigint[], $35::bigint[],
              $36::boolean[], $37::bigint[], $38::bigint[])
    AS r(id, node, tier, source, provider, instance, units, rate, stopped_rate, minimum_us,
         block_us, rounding, round_at, round_to, cut_us, cut_offset_us, disk_rate, egress,
         notice_us, disk_gb, opened_at, closed_at, by_hand, posted_at, billed, members, lab, idle,
         rounded, disk, variance, used_ms, since_members, since_lab, since_used_ms, stopped,
         egress_bytes, egress_cost)
    ON CONFLICT (id) DO UPDATE
   SET (closed_at, posted_at, billed, members, lab, idle, rounded, disk, variance, used_ms,
        since_members, since_lab, since_used_ms, egress_bytes, egress_cost)
     = (excluded.closed_at, excluded.posted_at, excluded.billed, excluded.members, excluded.lab,
        excluded.idle, excluded.rounded, excluded.disk, excluded.variance, excluded.used_ms,
        excluded.since_members, excluded.since_lab, excluded.since_used_ms,
        excluded.egress_bytes, excluded.egress_cost)
;
