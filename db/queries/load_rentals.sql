-- What core loads: the live part of each table ($1: core's time at the last batch).

-- name: load_billing
SELECT tier, source, valid_from, provider, rate, stopped_rate, minimum_us, block_us, rounding,
       round_at, round_to, cut_us, cut_offset_us, disk, egress, notice_us
  FROM billing
 ORDER BY tier, source, valid_from
;

-- name: load_rentals
SELECT id, node, tier, source, provider, instance, units, rate, stopped_rate, minimum_us, block_us,
       rounding, round_at, round_to, cut_us, cut_offset_us, disk_rate, egress, notice_us, disk_gb,
       opened_at, closed_at, by_hand, posted_at, billed, members, lab, idle, rounded, disk,
       variance, used_ms, since_members, since_lab, since_used_ms, stopped, egress_bytes, egress_cost
  FROM rentals
 WHERE closed_at IS NULL OR closed_at > $1::timestamptz - interval '75 days'
 ORDER BY id
;
