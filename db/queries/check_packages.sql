-- The second opinion on group purchases (scheduler/check); the form of answers: check_transfers.sql.
-- price x used / total is div(2 * price * used + total, 2 * total): integers, half away from zero.

-- A package is bought once, as it says: its price from its payer into its inventory, its hours from
-- outside into its portions, at one instant; a machine for a period is units x period.
-- name: check_package_bought
WITH price AS (
  SELECT p.id, count(t.id) AS n, sum(t.amount::numeric) AS amount,
         bool_and(t.at = p.bought_at AND t.asset = 1 AND t.tier = p.tier AND t.unit_ms = 0
                  AND t.member IS NOT DISTINCT FROM p.payer
                  AND (t.payer_kind, t.payer_id)
                    = (CASE WHEN p.payer IS NULL THEN 'lab' ELSE 'member' END, coalesce(p.payer, 0))
                  AND (a.owner_kind, a.owner_id) = (t.payer_kind, t.payer_id)) AS fits
    FROM packages p
    LEFT JOIN transfers t ON t.credit = p.inventory AND t.kind = 'purchase'
    LEFT JOIN accounts a ON a.id = t.debit
   GROUP BY p.id
), hours AS (
  SELECT p.id, coalesce(sum(t.amount::numeric), 0) AS amount,
         coalesce(bool_and(t.at = p.bought_at), true) AS fits
    FROM packages p LEFT JOIN transfers t ON t.asset = p.id AND t.kind = 'purchase'
   GROUP BY p.id
), wrong AS (
  SELECT p.*, q.n, q.amount AS paid, h.amount AS ms
    FROM packages p JOIN price q USING (id) JOIN hours h USING (id)
   WHERE q.n <> 1 OR NOT coalesce(q.fits, false) OR q.amount <> p.price
      OR NOT h.fits OR h.amount <> p.total_ms
      OR NOT EXISTS (SELECT FROM assets s
                      WHERE (s.id, s.kind, s.package) = (p.id, 'unit_time', p.id::text))
      OR p.starts_at >= p.ends_at OR p.bought_at >= p.ends_at
      OR (p.kind = 'capacity') <> (p.units > 0) OR (p.borrow = 'limit') <> (p.borrow_ms > 0)
      OR (p.kind = 'capacity'
          AND p.total_ms <> p.units * floor(extract(epoch FROM p.ends_at - p.starts_at) * 1000))
)
SELECT 'packages', p.id::text,
       format('%s entries of %s by %s at %s for %s unit-ms', 1, p.paid * 0.000001,
              coalesce('member ' || p.payer, 'nobody here'), p.bought_at, p.ms),
       format('%s entries, %s by its terms for %s unit-ms, %s units, %s to %s', p.n,
              p.price * 0.000001, p.total_ms, p.units, p.starts_at, p.ends_at)
  FROM wrong p
 UNION ALL
SELECT 'transfers', t.id::text, 'its part of the purchase of package ' || p.id,
       format('%s of asset %s from account %s at %s', t.amount, t.asset, t.debit, t.at)
  FROM wrong p JOIN transfers t ON t.kind = 'purchase' AND (t.asset = p.id OR t.credit = p.inventory)
 ORDER BY 1, 2
 LIMIT $1
;

-- Portions are the package: hours and cents by the shares, what is left over to the largest
-- remainders, ties by member id, the lab's last. Each is a lot of its owner, tier and dates.
-- name: check_package_portions
WITH whole AS (
  SELECT o.*, p.price, p.total_ms AS of_ms, p.tier, p.bought_at, p.ends_at, p.closed_at, p.split,
         sum(o.share::numeric) OVER w AS shares, min(o.share) OVER w AS least,
         max(o.share) OVER w AS most
    FROM portions o JOIN packages p ON p.id = o.package
  WINDOW w AS (PARTITION BY o.package)
), parts AS (
  SELECT w.*, div(of_ms * share::numeric, shares) AS ms, mod(of_ms * share::numeric, shares) AS ms_rest,
         div(div(price, 10000) * share::numeric, shares) AS cents,
         mod(div(price, 10000) * share::numeric, shares) AS cents_rest
    FROM whole w WHERE shares > 0
), ranks AS (
  SELECT *, row_number() OVER (PARTITION BY package ORDER BY ms_rest DESC, member = 0, member)
              <= of_ms - sum(ms) OVER w AS ms_more,
         row_number() OVER (PARTITION BY package ORDER BY cents_rest DESC, member = 0, member)
              <= div(price, 10000) - sum(cents) OVER w AS cents_more
    FROM parts
  WINDOW w AS (PARTITION BY package)
), due AS (
  SELECT *, ms + ms_more::integer AS due_ms, (cents + cents_more::integer) * 10000 AS due_cost
    FROM ranks
), wrong AS (
  SELECT d.*, l.id AS found_lot, l.owner_kind, l.owner_id, l.asset, l.tier AS lot_tier
    FROM due d LEFT JOIN lots l ON l.id = d.lot
   WHERE d.total_ms <> d.due_ms OR d.cost <> d.due_cost
      OR (d.split = 'equal' AND d.least <> d.most)
      OR (l.asset, l.owner_kind, l.owner_id, l.tier, l.starts_at, l.ends_at) IS DISTINCT FROM
         (d.package, CASE WHEN d.member = 0 THEN 'lab' ELSE 'member' END, d.member, d.tier,
          d.bought_at, least(d.ends_at, CASE WHEN d.closed_at < d.ends_at THEN d.closed_at END))
      OR d.total_ms <> (SELECT coalesce(sum(t.amount::numeric), 0) FROM transfers t
                         WHERE t.credit = l.account AND t.kind = 'purchase')
)
SELECT x.tab, x.key, format('%s unit-ms for %s in a lot of its owner, tier and dates', due_ms,
                            due_cost * 0.000001),
       format('share %s of %s: %s unit-ms for %s in lot %s', share, shares, total_ms,
              cost * 0.000001, lot)
  FROM wrong
 CROSS JOIN LATERAL (VALUES ('portions', format('%s/%s', package, member)),
                            ('packages', package::text), ('lots', found_lot::text)) AS x (tab, key)
 WHERE x.key IS NOT NULL
 UNION ALL
SELECT 'packages', p.id::text, 'portions', 'none with a share'
  FROM packages p
 WHERE NOT EXISTS (SELECT FROM portions o WHERE o.package = p.id AND o.share > 0)
 UNION ALL
SELECT 'portions', format('%s/%s', o.package, o.member), 'a package', 'none'
  FROM portions o WHERE NOT EXISTS (SELECT FROM packages p WHERE p.id = o.package)
 UNION ALL
SELECT 'lots', l.id::text, 'a portion of package ' || l.asset, 'none'
  FROM lots l WHERE l.asset <> 1 AND NOT EXISTS (SELECT FROM portions o WHERE o.lot = l.id)
 ORDER BY 1, 2
 LIMIT $1
;

-- Used is what was charged in the package's unit-time, less what was given back while it was open.
-- name: check_package_used
SELECT 'packages', p.id::text, s.ms || ' unit-ms charged', p.used_ms || ' used'
  FROM packages p
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(CASE t.kind WHEN 'charge' THEN t.amount::numeric
                       ELSE -t.amount::numeric END), 0) AS ms
     FROM transfers t JOIN accounts c ON c.id = t.credit
    WHERE t.asset = p.id
      AND (t.kind IN ('charge', 'reversal') OR (t.kind = 'refund' AND c.kind = 'lot'))) s
 WHERE p.used_ms <> s.ms OR p.used_ms NOT BETWEEN 0 AND p.total_ms
 ORDER BY p.id
 LIMIT $1
;

-- After every posting the cost that has moved is price x used / total, and it moved for the attempt
-- whose hours were just charged, or given back to their portion.
-- name: check_package_cost
WITH moves AS (
  SELECT p.id AS package, p.price::numeric AS price, p.total_ms::numeric AS total, t.id, t.job,
         t.index, t.number, t.asset, t.unit_ms,
         CASE WHEN t.asset <> 1 AND t.kind = 'charge' THEN t.amount::numeric
              WHEN t.asset <> 1 THEN -t.amount::numeric ELSE 0 END AS ms,
         CASE WHEN t.asset <> 1 THEN 0 WHEN t.debit = p.inventory THEN t.amount::numeric
              ELSE -t.amount::numeric END AS money
    FROM packages p JOIN transfers t ON t.asset = p.id OR p.inventory IN (t.debit, t.credit)
    JOIN accounts c ON c.id = t.credit
   WHERE t.kind IN ('charge', 'reversal')
      OR (t.kind = 'refund' AND c.kind IN ('lot', 'inventory'))
), sums AS (
  SELECT *, sum(ms) OVER w AS used, sum(money) OVER w AS moved,
         lag(job) OVER w AS job_before, lag(index) OVER w AS index_before,
         lag(number) OVER w AS number_before
    FROM moves
  WINDOW w AS (PARTITION BY package ORDER BY id)
), due AS (
  SELECT *, div(2 * price * used + total, 2 * total) AS cost FROM sums WHERE asset = 1
)
SELECT 'transfers', id::text,
       format('%s moved of package %s for %s of %s unit-ms, for %s_%s.%s', cost * 0.000001, package,
              used, total, job_before, index_before, number_before),
       format('%s moved, for %s_%s.%s', moved * 0.000001, job, index, number)
  FROM due
 WHERE cost <> moved OR unit_ms <> 0
    OR (job, index, number) IS DISTINCT FROM (job_before, index_before, number_before)
 ORDER BY id
 LIMIT $1
;

-- Hours that are given back after the end of their package cost the lab the same part of what the
-- attempt was charged as they are of its hours; cumulated, so that all of them are all of it.
-- name: check_package_back
WITH charged AS (
  SELECT job, index, number,
         sum(CASE kind WHEN 'charge' THEN amount::numeric ELSE -amount::numeric END)
           FILTER (WHERE asset <> 1) AS ms,
         coalesce(sum(CASE kind WHEN 'charge' THEN amount::numeric ELSE -amount::numeric END)
                    FILTER (WHERE asset = 1), 0) AS cost
    FROM transfers
   WHERE kind IN ('charge', 'reversal') AND source = 'package'
   GROUP BY job, index, number
), back AS (
  SELECT t.id, t.linked, t.amount::numeric AS ms, c.kind AS to_kind, g.ms AS of_ms, g.cost,
         sum(t.amount::numeric) OVER (PARTITION BY t.job, t.index, t.number ORDER BY t.id) AS upto
    FROM transfers t
    JOIN accounts c ON c.id = t.credit
    LEFT JOIN charged g USING (job, index, number)
   WHERE t.kind = 'refund' AND t.asset <> 1
), due AS (
  SELECT b.*, div(2 * cost * upto + of_ms, 2 * nullif(of_ms, 0))
              - div(2 * cost * (upto - ms) + of_ms, 2 * nullif(of_ms, 0)) AS part
    FROM back b
), found AS (
  SELECT d.id, d.part, d.to_kind, m.id AS money, coalesce(m.amount, 0) AS amount
    FROM due d
    LEFT JOIN transfers m ON m.id = d.id + 1 AND m.linked = d.linked AND m.asset = 1
                         AND m.kind = 'refund'
)
SELECT 'transfers', x.id::text, part * 0.000001 || ' of overhead for these hours',
       amount * 0.000001 || ''
  FROM found
 CROSS JOIN LATERAL (VALUES (id), (money)) AS x (id)
 WHERE to_kind = 'overhead_other' AND part IS DISTINCT FROM amount AND x.id IS NOT NULL
 ORDER BY 2
 LIMIT $1
;

-- The inventory is price - moved - lapsed, moved is price x used / total, both are what the entries
-- say, and a closed package has nothing in it.
-- name: check_package_inventory
SELECT 'packages', p.id::text,
       format('%s moved, %s lapsed, %s left', x.due * 0.000001, e.lapsed * 0.000001,
              e.left_over * 0.000001),
       format('%s moved, %s lapsed of %s%s', p.moved * 0.000001, p.lapsed * 0.000001,
              p.price * 0.000001, CASE WHEN p.closed_at IS NULL THEN '' ELSE ', closed' END)
  FROM packages p
 CROSS JOIN LATERAL (SELECT div(2 * p.price::numeric * p.used_ms + p.total_ms,
                                2 * p.total_ms::numeric) AS due) x
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(CASE WHEN t.kind = 'charge' THEN t.amount::numeric
                            WHEN t.kind IN ('reversal', 'refund') THEN -t.amount::numeric END), 0)
            AS moved,
          coalesce(sum(t.amount::numeric) FILTER (WHERE t.kind = 'lapse'), 0) AS lapsed,
          coalesce(sum(CASE WHEN t.credit = p.inventory THEN t.amount::numeric
                            ELSE -t.amount::numeric END), 0) AS left_over
     FROM transfers t WHERE p.inventory IN (t.debit, t.credit)) e
 WHERE p.moved <> x.due OR p.moved <> e.moved OR p.lapsed <> e.lapsed
    OR e.left_over <> p.price - p.moved - p.lapsed
    OR (p.closed_at IS NOT NULL AND e.left_over <> 0)
 ORDER BY p.id
 LIMIT $1
;

-- What lapsed of a portion is what its lot's entries say, and its cost lapsed by the hours, at the
-- close, to its owner or to the lab as the package has it; the lab's own portion always to the lab.
-- name: check_package_lapsed
WITH hours AS (
  SELECT o.*, p.inventory, p.lapse_to, p.closed_at, p.price - p.moved AS rest,
         (SELECT coalesce(sum(t.amount::numeric), 0) FROM transfers t JOIN lots l ON l.id = o.lot
           WHERE t.debit = l.account AND t.kind = 'lapse') AS ms
    FROM portions o JOIN packages p ON p.id = o.package
), shares AS (
  SELECT *, sum(ms) OVER w AS all_ms,
         CASE WHEN closed_at IS NULL OR sum(ms) OVER w = 0 THEN 0
              ELSE div(rest * ms, sum(ms) OVER w) END AS part,
         CASE WHEN closed_at IS NULL OR sum(ms) OVER w = 0 THEN 0
              ELSE mod(rest * ms, sum(ms) OVER w) END AS part_rest
    FROM hours
  WINDOW w AS (PARTITION BY package)
), due AS (
  SELECT s.*, CASE WHEN closed_at IS NULL OR all_ms = 0 THEN 0 ELSE part
              + (row_number() OVER (PARTITION BY package ORDER BY part_rest DESC, member)
                 <= rest - sum(part) OVER (PARTITION BY package))::integer END AS due_cost,
         lapse_to = 'overhead' OR member = 0 AS lab
    FROM shares s
), entries AS (
  SELECT d.*, e.amount, coalesce(e.fits, true) AS fits
    FROM due d
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(t.amount::numeric), 0) AS amount,
            bool_and(t.at = d.closed_at
                     AND (a.kind, a.owner_kind, a.owner_id)
                       = (CASE WHEN d.lab THEN 'overhead_lapsed' ELSE 'lapsed' END,
                          CASE WHEN d.lab THEN 'lab' ELSE 'member' END,
                          CASE WHEN d.lab THEN 0 ELSE d.member END)
                     AND (t.payer_kind, t.payer_id) = (a.owner_kind, a.owner_id)) AS fits
       FROM transfers t JOIN accounts a ON a.id = t.credit
      WHERE t.debit = d.inventory AND t.kind = 'lapse' AND coalesce(t.member, 0) = d.member) e
), wrong AS (
  SELECT * FROM entries
   WHERE lapsed_ms <> ms OR lapsed <> due_cost OR amount <> due_cost OR NOT fits
)
SELECT x.tab, x.key, format('%s unit-ms and %s at the close, to the %s', ms, due_cost * 0.000001,
                            CASE WHEN lab THEN 'lab' ELSE 'owner' END),
       format('%s unit-ms and %s, by entries %s', lapsed_ms, lapsed * 0.000001, amount * 0.000001)
  FROM wrong
 CROSS JOIN LATERAL (VALUES ('portions', format('%s/%s', package, member)),
                            ('packages', package::text)) AS x (tab, key)
 UNION ALL
SELECT 'transfers', t.id::text, 'its part of what lapsed, as the package has it',
       format('%s to account %s at %s', t.amount * 0.000001, t.credit, t.at)
  FROM wrong w JOIN transfers t ON t.debit = w.inventory AND t.kind = 'lapse'
 ORDER BY 1, 2
 LIMIT $1
;

-- A package closes when all its lots have lapsed and no hold on it is open, and then.
-- name: check_package_closed
WITH state AS (
  SELECT p.id, p.ends_at, p.closed_at,
         NOT EXISTS (SELECT FROM portions o JOIN lots l ON l.id = o.lot
                      WHERE o.package = p.id AND NOT l.lapsed)
         AND NOT EXISTS (SELECT FROM holds h WHERE h.asset = p.id AND h.closed_at IS NULL) AS over,
         greatest((SELECT max(l.ends_at) FROM portions o JOIN lots l ON l.id = o.lot
                    WHERE o.package = p.id),
                  (SELECT max(h.closed_at) FROM holds h WHERE h.asset = p.id)) AS last_at
    FROM packages p
)
SELECT 'packages', id::text,
       CASE WHEN over THEN 'closed at ' || last_at ELSE 'open' END,
       coalesce('closed at ' || closed_at, 'open')
  FROM state
 WHERE over <> (closed_at IS NOT NULL) OR closed_at <> last_at
 ORDER BY id
 LIMIT $1
;

-- Nobody borrows more than the rule allows; what a portion says was borrowed is what its member's
-- attempts drew on others, less what was given back to those.
-- name: check_package_borrow
WITH lines AS (
  SELECT o.package, a.member, sum(n.posted::numeric) AS posted,
         coalesce(sum(n.amount::numeric - n.posted) FILTER (WHERE h.closed_at IS NULL), 0) AS open
    FROM hold_lines n
    JOIN holds h USING (job, index, number)
    JOIN attempts a USING (job, index, number)
    JOIN portions o ON o.lot = n.lot AND o.member <> a.member
   GROUP BY o.package, a.member
), back AS (
  SELECT o.package, t.member, sum(t.amount::numeric) AS amount
    FROM transfers t
    JOIN lots l ON l.account = t.credit
    JOIN portions o ON o.lot = l.id AND o.member <> t.member
   WHERE t.kind = 'refund'
   GROUP BY o.package, t.member
)
SELECT x.tab, x.key,
       format('%s borrowed and %s held, at most %s', coalesce(l.posted, 0) - coalesce(k.amount, 0),
              coalesce(l.open, 0),
              CASE p.borrow WHEN 'free' THEN 'anything' WHEN 'none' THEN '0'
                            ELSE p.borrow_ms::text END),
       format('%s borrowed and %s held', o.borrowed_ms, o.borrowing_ms)
  FROM portions o
  JOIN packages p ON p.id = o.package
  LEFT JOIN lines l ON l.package = o.package AND l.member = o.member
  LEFT JOIN back k ON k.package = o.package AND k.member = o.member
 CROSS JOIN LATERAL (VALUES ('portions', format('%s/%s', o.package, o.member)),
                            ('packages', p.id::text)) AS x (tab, key)
 WHERE o.borrowed_ms <> coalesce(l.posted, 0) - coalesce(k.amount, 0) OR o.borrowing_ms <> coalesce(l.open, 0)
    OR (p.borrow = 'none' AND o.borrowed_ms + o.borrowing_ms > 0)
    OR (p.borrow = 'limit' AND o.borrowed_ms + o.borrowing_ms > p.borrow_ms)
 ORDER BY 1, 2
 LIMIT $1
;

-- Work starts on a package only after its start, and only where now + limit is not past its end.
-- name: check_package_end
SELECT x.tab, x.key, format('within [%s, %s]', p.starts_at, p.ends_at),
       format('%s_%s.%s ordered at %s for %s ms', a.job, a.index, a.number, a.ordered_at,
              a.time_limit_us / 1000)
  FROM holds h
  JOIN packages p ON p.id = h.asset
  JOIN attempts a USING (job, index, number)
 CROSS JOIN LATERAL (VALUES ('attempts', format('%s_%s.%s', a.job, a.index, a.number)),
                            ('packages', p.id::text)) AS x (tab, key)
 WHERE a.ordered_at < p.starts_at
    OR a.ordered_at + a.time_limit_us * interval '1 microsecond' > p.ends_at
    OR (p.closed_at < p.ends_at AND a.ordered_at > p.closed_at)
 ORDER BY 1, 2
 LIMIT $1
;
