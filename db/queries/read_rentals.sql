-- What people see of rentals.

-- $1: one rental, or 0 for all; $2: closed ones too. Newest first.
-- name: list_rentals
SELECT r.id, r.node, r.tier, r.source, r.provider, r.instance, r.units, r.rate, r.stopped_rate,
       r.minimum_us, r.block_us, r.rounding, r.round_at, r.round_to, r.cut_us, r.cut_offset_us,
       r.disk_rate, r.egress, r.notice_us, r.disk_gb, r.opened_at, r.closed_at, r.by_hand,
       r.posted_at, r.billed, r.members, r.lab, r.idle, r.rounded, r.disk, r.variance, r.used_ms,
       r.since_members, r.since_lab, r.since_used_ms, r.stopped, r.egress_bytes, r.egress_cost, n.name, t.name
  FROM rentals r
  JOIN nodes n ON n.id = r.node
  JOIN tiers t ON t.id = r.tier
 WHERE ($1::bigint = 0 OR r.id = $1::bigint) AND ($2::boolean OR r.closed_at IS NULL)
 ORDER BY r.id DESC
;

-- What a bill of $1 from $2 to $3 may be for, by the provider's name of the machine or the node's; also
-- of nodes that are gone, and a month before, since disks go on.
-- name: rentals_between
SELECT r.id, r.node, r.tier, r.source, r.provider, coalesce(nullif(r.instance, ''), n.name), r.units,
       r.rate, r.stopped_rate, r.minimum_us, r.block_us, r.rounding, r.round_at, r.round_to, r.cut_us,
       r.cut_offset_us, r.disk_rate, r.egress, r.notice_us, r.disk_gb, r.opened_at, r.closed_at,
       r.by_hand, r.posted_at, r.billed, r.members, r.lab, r.idle, r.rounded, r.disk, r.variance,
       r.used_ms, r.since_members, r.since_lab, r.since_used_ms, r.stopped, r.egress_bytes,
       r.egress_cost
  FROM rentals r
  JOIN nodes n ON n.id = r.node
 WHERE lower(r.provider) = lower($1::text) AND r.opened_at < $3::timestamptz
   AND (r.closed_at IS NULL OR r.closed_at > $2::timestamptz - interval '31 days')
 ORDER BY r.id
;
