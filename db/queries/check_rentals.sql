-- The second opinion on rentals (scheduler/check); the form of answers: check_transfers.sql.

-- A rental has the rule that was in force for its tier and source when it opened; opened by hand, one
-- that there was.
-- name: check_rental_rule
SELECT 'rentals', r.id::text,
       format('a billing rule of tier %s, %s, in force at %s', r.tier, r.source, r.opened_at),
       format('%s an hour of %s', r.rate * 0.000001, r.provider)
  FROM rentals r
 WHERE NOT EXISTS (
         SELECT FROM billing b
          WHERE (b.tier, b.source, b.provider, b.rate, b.stopped_rate, b.minimum_us, b.block_us,
                 b.rounding, b.round_at, b.round_to, b.cut_us, b.cut_offset_us, b.disk, b.egress,
                 b.notice_us)
              = (r.tier, r.source, r.provider, r.rate, r.stopped_rate, r.minimum_us, r.block_us,
                 r.rounding, r.round_at, r.round_to, r.cut_us, r.cut_offset_us, r.disk_rate,
                 r.egress, r.notice_us)
            AND (r.by_hand
                 OR b.valid_from = (SELECT max(l.valid_from) FROM billing l
                                     WHERE (l.tier, l.source) = (r.tier, r.source)
                                       AND l.valid_from <= r.opened_at)))
 ORDER BY r.id
 LIMIT $1
;

-- A node has one rental at a time, of its own tier and source, open no longer than the node is there;
-- once closed nothing of it waits to be posted.
-- name: check_rental_stretch
WITH wrong AS (
  SELECT r.*,
         CASE WHEN n.id IS NULL OR (n.tier, n.source) <> (r.tier, r.source)
              THEN 'of the tier and source of its node'
              WHEN closed_at < opened_at OR opened_at > core_now OR closed_at > core_now
                OR posted_at > core_now OR posted_at < opened_at
              THEN 'opened, posted and closed in this order, in the past'
              WHEN closed_at IS NOT NULL
                AND (posted_at IS DISTINCT FROM closed_at
                     OR (since_members, since_lab, since_used_ms) <> (0, 0, 0))
              THEN 'posted up to its end'
              WHEN closed_at IS NULL AND NOT by_hand
                AND (n.removed OR n.state IN ('LOST', 'STOPPED'))
              THEN 'closed with its node'
              WHEN EXISTS (SELECT FROM rentals o
                            WHERE o.node = r.node AND o.id <> r.id
                              AND o.opened_at < coalesce(r.closed_at, 'infinity')
                              AND r.opened_at < coalesce(o.closed_at, 'infinity'))
              THEN 'one at a time on its node' END AS should
    FROM rentals r CROSS JOIN leader LEFT JOIN nodes n ON n.id = r.node
)
SELECT 'rentals', id::text, should,
       format('node %s, tier %s, %s, from %s to %s, posted to %s', node, tier, source, opened_at,
              coalesce(closed_at::text, 'now'), coalesce(posted_at::text, 'nothing'))
  FROM wrong WHERE should IS NOT NULL
 ORDER BY id
 LIMIT $1
;

-- Entries of a rental carry its node, tier and source; what an attempt posts in money carries the
-- rental that was open on its node when it was ordered.
-- name: check_rental_entry
SELECT 'transfers', t.id::text,
       CASE WHEN t.kind = 'rental'
            THEN coalesce(format('of the lab, node %s, tier %s, %s, no attempt, no person', r.node,
                                 r.tier, r.source), 'a rental')
            ELSE format('the rental that was open on node %s at %s', a.node, a.ordered_at) END,
       format('rental %s, %s %s, node %s, tier %s, %s, attempt %s', coalesce(t.rental::text, 'none'),
              t.payer_kind, t.payer_id, coalesce(t.node::text, 'none'),
              coalesce(t.tier::text, 'none'), t.source, coalesce(t.job::text, 'none'))
  FROM transfers t
  LEFT JOIN rentals r ON r.id = t.rental
  LEFT JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, t.number)
 WHERE CASE
         WHEN t.kind = 'rental'
         THEN r.id IS NULL OR t.asset <> 1 OR t.unit_ms <> 0 OR t.at < r.opened_at
              OR (t.node, t.tier, t.source, t.payer_kind, t.payer_id)
                 IS DISTINCT FROM (r.node, r.tier, r.source, 'lab', 0::bigint)
              OR num_nonnulls(t.job, t.member, t.project, t.person, t.linked) > 0
         WHEN t.kind IN ('charge', 'overhead', 'reversal') AND t.asset = 1
              AND a.source IS DISTINCT FROM 'package'
         THEN (t.rental IS NOT NULL
               AND (r.id IS NULL OR r.stopped OR r.node IS DISTINCT FROM a.node OR r.opened_at > a.ordered_at))
              OR (t.rental IS NULL
                  AND EXISTS (SELECT FROM rentals o
                               WHERE o.node = a.node AND NOT o.by_hand
                                 AND o.opened_at <= a.ordered_at
                                 AND (o.closed_at IS NULL
                                      OR (o.closed_at > a.ordered_at
                                          AND o.closed_at > t.at - interval '75 days'))))
         WHEN t.kind IN ('refund', 'correct', 'invoice', 'explain') THEN false
         ELSE t.rental IS NOT NULL END
 ORDER BY t.id
 LIMIT $1
;

-- The sums of a rental are its entries'.
-- name: check_rental_sums
WITH e AS (
  SELECT t.rental AS id, t.kind,
         CASE WHEN t.kind <> 'rental' THEN c.kind WHEN d.kind = 'external' THEN c.kind
              ELSE d.kind END AS side,
         CASE WHEN t.kind = 'reversal' OR (t.kind = 'rental' AND c.kind = 'external') THEN -1
              ELSE 1 END AS sign,
         t.amount::numeric AS amount, t.unit_ms::numeric AS unit_ms
    FROM transfers t
    JOIN accounts d ON d.id = t.debit
    JOIN accounts c ON c.id = t.credit
   WHERE t.rental IS NOT NULL AND t.kind IN ('rental', 'charge', 'overhead', 'reversal')
), s AS (
  SELECT r.id,
         coalesce(sum(e.sign * e.amount) FILTER (WHERE e.kind IN ('charge', 'reversal')), 0) AS members,
         coalesce(sum(e.amount) FILTER (WHERE e.kind = 'overhead'), 0) AS lab,
         coalesce(sum(e.sign * e.unit_ms), 0) AS used_ms,
         coalesce(sum(e.sign * e.amount) FILTER (WHERE e.kind = 'rental' AND side = 'idle'), 0)
           AS idle,
         coalesce(sum(e.sign * e.amount) FILTER (WHERE e.kind = 'rental' AND side = 'rounding'), 0)
           AS rounded,
         coalesce(sum(e.sign * e.amount) FILTER (WHERE e.kind = 'rental' AND side = 'disk'), 0)
           AS disk,
         coalesce(sum(e.sign * e.amount) FILTER (WHERE e.kind = 'rental' AND side = 'variance'), 0)
           AS variance,
         coalesce(sum(e.sign * e.amount) FILTER (WHERE e.kind = 'rental' AND side = 'egress'), 0)
           AS egress
    FROM rentals r LEFT JOIN e USING (id)
   GROUP BY r.id
), wrong AS (
  SELECT r.id,
         format('%s members, %s lab, %s unit-ms, %s idle, %s rounding, %s disk, %s variance, %s egress',
                s.members * 0.000001, s.lab * 0.000001, s.used_ms, s.idle * 0.000001,
                s.rounded * 0.000001, s.disk * 0.000001, s.variance * 0.000001,
                s.egress * 0.000001) AS expected,
         format('%s members, %s lab, %s unit-ms, %s idle, %s rounding, %s disk, %s variance, %s egress',
                (r.members + r.since_members) * 0.000001, (r.lab + r.since_lab) * 0.000001,
                r.used_ms + r.since_used_ms, r.idle * 0.000001, r.rounded * 0.000001,
                r.disk * 0.000001, r.variance * 0.000001, r.egress_cost * 0.000001) AS found
    FROM rentals r JOIN s USING (id)
   WHERE (s.members, s.lab, s.used_ms, s.idle, s.rounded, s.disk, s.variance, s.egress)
         IS DISTINCT FROM ((r.members + r.since_members)::numeric, (r.lab + r.since_lab)::numeric,
                           (r.used_ms + r.since_used_ms)::numeric, r.idle::numeric,
                           r.rounded::numeric, r.disk::numeric, r.variance::numeric,
                           r.egress_cost::numeric)
)
SELECT 'rentals', id::text, expected, found FROM wrong
 UNION ALL
SELECT 'transfers', t.id::text, format('its part of the sums of rental %s', w.id),
       format('%s %s', t.kind, t.amount * 0.000001)
  FROM wrong w JOIN transfers t ON t.rental = w.id
 WHERE t.kind IN ('rental', 'charge', 'overhead', 'reversal')
 ORDER BY 1, 2
 LIMIT $1
;

-- Up to posted_at the provider bills what its rule says, stretch by stretch: max(minimum, blocks) of
-- each that is over, the time of one that goes on; of a machine that is stopped at its stopped rate,
-- without a minimum. Of that idle, rounding, disk and variance follow; egress goes by bytes.
-- name: check_rental_bill
WITH r AS (
  SELECT r.*, CASE WHEN r.stopped THEN r.stopped_rate ELSE r.rate END AS by_rate,
         CASE WHEN r.stopped THEN 0 ELSE r.minimum_us END AS least_us, o, e, (o + cut_offset_us) / nullif(cut_us, 0) AS first_cut,
         (e + cut_offset_us) / nullif(cut_us, 0) AS last_cut
    FROM rentals r
   CROSS JOIN LATERAL (SELECT (extract(epoch FROM opened_at) * 1000000)::bigint AS o,
                              (extract(epoch FROM posted_at) * 1000000)::bigint AS e) x
), stretches AS (  -- those between the first and the last are alike
  SELECT r.id, s.times, s.upto - s.since AS span,
         r.closed_at IS NOT NULL
           OR (r.cut_us > 0 AND mod(s.upto + r.cut_offset_us, r.cut_us) = 0) AS over
    FROM r
   CROSS JOIN LATERAL (
     SELECT r.o AS since, r.e AS upto, 1 AS times WHERE r.cut_us = 0
      UNION ALL
     SELECT greatest(r.o, k.n * r.cut_us - r.cut_offset_us),
            least(r.e, (k.n + 1) * r.cut_us - r.cut_offset_us), k.times
       FROM (VALUES (r.first_cut, 1), (r.first_cut + 1, r.last_cut - r.first_cut - 1),
                    (r.last_cut, least(r.last_cut - r.first_cut, 1))) k (n, times)
      WHERE r.last_cut IS NOT NULL AND k.times > 0) s
   WHERE s.upto > s.since
), parts AS (
  SELECT r.id, s.times, s.over AND r.round_at = 'segment' AS own,
         3600000000::numeric * r.round_to AS d,
         r.units::numeric * r.by_rate
           * CASE WHEN s.over THEN greatest(r.least_us, div(s.span::numeric + r.block_us - 1,
                                                              r.block_us) * r.block_us)
                  ELSE s.span END AS n
    FROM stretches s JOIN r USING (id)
), sums AS (
  SELECT r.id, coalesce(sum(CASE WHEN r.rounding = 'up' THEN div(p.n + p.d - 1, p.d)
                                 ELSE div(2 * p.n + p.d, 2 * p.d) END * r.round_to * p.times)
                          FILTER (WHERE p.own), 0) AS own,
         coalesce(sum(p.n * p.times) FILTER (WHERE NOT p.own), 0) AS n
    FROM r LEFT JOIN parts p USING (id)
   GROUP BY r.id
), bills AS (
  SELECT r.*,
         s.own + CASE WHEN r.closed_at IS NULL OR r.round_at = 'segment'
                      THEN div(2 * s.n + 3600000000, 7200000000)
                      WHEN r.rounding = 'up'
                      THEN div(s.n + 3600000000::numeric * r.round_to - 1,
                               3600000000::numeric * r.round_to) * r.round_to
                      ELSE div(2 * s.n + 3600000000::numeric * r.round_to,
                               7200000000::numeric * r.round_to) * r.round_to END AS bill,
         div(2 * r.units::numeric * div(coalesce(r.e - r.o, 0)::numeric, 1000) * r.by_rate + 3600000,
             7200000) AS time_cost,
         div(2 * greatest(r.used_ms, 0)::numeric * r.by_rate + 3600000, 7200000) AS used,
         div(2 * r.disk_gb::numeric * div(coalesce(r.e - r.o, 0)::numeric, 1000) * r.disk_rate
             + 3600000, 7200000) AS disk_cost,
         div(2 * r.egress::numeric * r.egress_bytes + 1000000000, 2000000000) AS bytes_cost
    FROM r JOIN sums s USING (id)
)
SELECT 'rentals', id::text,
       format('%s billed, %s idle, %s rounding, %s variance, %s disk, %s egress', bill * 0.000001,
              (time_cost - used) * 0.000001, (bill - time_cost) * 0.000001,
              (used - members - lab) * 0.000001, disk_cost * 0.000001, bytes_cost * 0.000001),
       format('%s billed, %s idle, %s rounding, %s variance, %s disk, %s egress', billed * 0.000001,
              idle * 0.000001, rounded * 0.000001, variance * 0.000001, disk * 0.000001,
              egress_cost * 0.000001)
  FROM bills
 WHERE (bill, time_cost - used, bill - time_cost, used - members - lab, disk_cost, bytes_cost)
       IS DISTINCT FROM (billed::numeric, idle::numeric, rounded::numeric, variance::numeric,
                         disk::numeric, egress_cost::numeric)
 ORDER BY id
 LIMIT $1
;
