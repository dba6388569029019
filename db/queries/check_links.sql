-- The second opinion on refunds and corrections (scheduler/check): entries that name an earlier one
-- and change it; the form of answers: check_transfers.sql.

-- A refund is of a charge and moves back what that moved; a correction is of a charge, overhead,
-- deposit or refund and moves as that did or back. What goes back to a lot that had ended goes to a
-- lot of the same owner. Attempts are settled before anything is changed of them. Hours of a package go
-- back to their portion until it ends, then to the lab's overhead; what they had cost goes beside them,
-- in money, to the package's inventory or to overhead: that of the entry before it.
-- name: check_transfer_link
WITH links AS (
  SELECT t.*, e.kind AS of_kind, e.debit AS of_debit, e.credit AS of_credit, e.at AS of_at,
         e.asset AS of_asset, (e.job, e.index, e.number) AS of_attempt,
         (t.job, t.index, t.number) AS attempt, coalesce(a.ended_at, e.at) AS since,
         a.job IS NOT NULL AND a.ended_at IS NULL AS open,
         CASE WHEN t.kind = 'refund' THEN ARRAY['charge']
              ELSE ARRAY['charge', 'overhead', 'deposit', 'refund'] END AS may,
         d.kind AS from_kind, c.kind AS to_kind, p.inventory, b.asset AS before_asset,
         b.linked AS before_linked, n.kind AS before_to,
         EXISTS (SELECT FROM lots x WHERE x.account = e.debit AND x.ends_at <= t.at) AS ended
    FROM transfers t
    LEFT JOIN transfers e ON e.id = t.linked
    LEFT JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, t.number)
    LEFT JOIN accounts d ON d.id = t.debit
    LEFT JOIN accounts c ON c.id = t.credit
    LEFT JOIN packages p ON p.id = e.asset AND t.kind = 'refund'
    LEFT JOIN transfers b ON b.id = t.id - 1
    LEFT JOIN accounts n ON n.id = b.credit
   WHERE t.linked IS NOT NULL OR t.kind IN ('refund', 'correct')
), judged AS (
  SELECT k.*,
         k.debit = k.of_debit AND k.credit = k.of_credit AND k.kind = 'correct' AS as_it_was,
         k.debit = k.of_credit
           AND (k.credit = k.of_debit
                OR (k.of_kind = 'charge'
                    AND EXISTS (SELECT FROM accounts o JOIN accounts n USING (owner_kind, owner_id)
                                 WHERE o.id = k.of_debit AND n.id = k.credit AND n.kind = 'lot'
                                   AND EXISTS (SELECT FROM lots x WHERE x.account = o.id
                                                  AND x.ends_at <= k.at)))) AS back,
         CASE WHEN k.inventory IS NULL THEN NULL
              WHEN k.asset = k.of_asset
              THEN k.debit = k.of_credit AND CASE WHEN k.ended THEN k.to_kind = 'overhead_other'
                                                  ELSE k.credit = k.of_debit END
              ELSE k.asset = 1 AND k.from_kind = 'spent'
                   AND (k.before_asset, k.before_linked) = (k.of_asset, k.linked)
                   AND CASE k.before_to WHEN 'lot' THEN k.credit = k.inventory
                                        ELSE k.to_kind = 'overhead_other' END END AS of_hours
    FROM links k
)
SELECT 'transfers', j.id::text,
       format('%s, before it and settled, between its accounts or to a lot in the place of one that '
              'has ended, with a reason and no unit-time', array_to_string(j.may, ' or ')),
       format('%s of %s at %s, account %s to %s, %s unit-ms', j.kind,
              coalesce(j.of_kind || ' ' || j.linked, 'nothing'), coalesce(j.of_at::text, 'no time'),
              j.debit, j.credit, j.unit_ms)
  FROM judged j
 WHERE j.kind NOT IN ('refund', 'correct') OR j.of_kind IS NULL OR j.of_kind <> ALL (j.may)
    OR j.linked >= j.id OR j.at < j.since OR j.open
    OR (j.of_asset <> j.asset AND j.of_hours IS NULL)
    OR j.attempt IS DISTINCT FROM j.of_attempt
    OR j.unit_ms <> 0 OR j.reason = ''
    OR NOT coalesce(j.of_hours, j.as_it_was OR j.back, false)
 ORDER BY j.id
 LIMIT $1
;

-- What is refunded and corrected of an entry never turns it below zero; nor, together with what its
-- settle took back, what an attempt was charged on a lot. A refund that is corrected changes what is
-- left of its charge.
-- name: check_transfer_within
WITH direct AS (
  SELECT e.id, e.kind, e.linked, t.id AS by,
         CASE WHEN t.debit = e.debit THEN t.amount::numeric ELSE -t.amount END AS change
    FROM transfers t JOIN transfers e ON e.id = t.linked AND e.asset = t.asset
), changes AS (
  SELECT id, by, change FROM direct
   UNION ALL
  SELECT linked, by, -change FROM direct WHERE kind = 'refund'
), beyond AS (
  SELECT e.id, e.amount, sum(c.change) AS change
    FROM changes c JOIN transfers e USING (id)
   GROUP BY e.id, e.amount HAVING e.amount + sum(c.change) < 0
), attempts_over AS (
  SELECT t.job, t.index, t.number, l.account
    FROM transfers t
    JOIN lots l ON l.account = CASE WHEN t.kind = 'charge' THEN t.debit ELSE t.credit END
    LEFT JOIN (SELECT id, sum(change) AS change FROM changes GROUP BY id) c
      ON c.id = t.id AND t.kind = 'charge'
   WHERE t.kind IN ('charge', 'reversal') AND t.job IN (SELECT job FROM transfers
                                                         WHERE linked IS NOT NULL)
   GROUP BY 1, 2, 3, 4
  HAVING sum(CASE WHEN t.kind = 'charge' THEN t.amount + coalesce(c.change, 0) ELSE -t.amount END)
         < 0
)
SELECT 'transfers', o.id::text, format('at most its %s given back', o.amount * 0.000001),
       o.change * 0.000001 || ' in all'
  FROM beyond o
 UNION
SELECT 'transfers', c.by::text, format('its part of at most %s of transfer %s', o.amount * 0.000001,
                                       o.id),
       o.change * 0.000001 || ' in all'
  FROM beyond o JOIN changes c USING (id)
 UNION
SELECT 'transfers', t.id::text,
       format('its part of at most what %s_%s.%s was charged in the end', t.job, t.index, t.number),
       t.amount * 0.000001 || ''
  FROM attempts_over o JOIN transfers t USING (job, index, number)
 WHERE o.account IN (t.debit, t.credit)
 ORDER BY 2
 LIMIT $1
;

-- What a lot is that no deposit made: with money of another owner it keeps the end and the tier of
-- the lot that this came from; in the place of one that has ended it keeps the tier, for 30 days. Who
-- had paid it in is who paid the deposit that it all began with.
-- name: check_lot_origin
WITH first AS (
  SELECT DISTINCT ON (l.id) l.id, l.tier, l.starts_at, l.ends_at, l.payer, l.asset, t.id AS by,
         t.kind, t.at, t.debit, t.linked
    FROM lots l JOIN transfers t ON t.credit = l.account
   ORDER BY l.id, t.id
), origin AS (
  SELECT f.*, o.id AS old, o.tier AS old_tier, o.payer AS old_payer,
         CASE WHEN f.kind = 'transfer' THEN o.ends_at
              ELSE f.at + interval '1 hour' * 720 END AS old_ends_at,
         CASE WHEN f.kind = 'transfer' THEN greatest(f.at, o.starts_at) ELSE f.at END AS since
    FROM first f
    LEFT JOIN transfers e ON e.id = f.linked
    LEFT JOIN lots o ON o.account = CASE WHEN f.kind = 'transfer' THEN f.debit ELSE e.debit END
   WHERE f.kind NOT IN ('deposit', 'purchase')
)
SELECT 'lots', f.id::text, coalesce('paid in by member ' || a.owner_id, 'from outside'),
       coalesce('paid in by member ' || f.payer, 'from outside')
  FROM first f LEFT JOIN accounts a ON a.id = f.debit AND a.kind = 'paid_in'
 WHERE f.kind IN ('deposit', 'purchase')
   AND f.payer IS DISTINCT FROM CASE f.asset WHEN 1 THEN a.owner_id END
 UNION ALL
SELECT 'lots', id::text,
       format('from %s to %s for tier %s, as transfer %s and lot %s say', since, old_ends_at,
              coalesce(old_tier::text, 'any'), by, coalesce(old::text, 'none')),
       format('from %s to %s for tier %s', starts_at, ends_at, coalesce(tier::text, 'any'))
  FROM origin
 WHERE old IS NULL OR tier IS DISTINCT FROM old_tier OR ends_at <> old_ends_at
    OR starts_at <> since OR payer IS DISTINCT FROM old_payer
 ORDER BY 2
 LIMIT $1
;
