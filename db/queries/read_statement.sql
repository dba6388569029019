-- What moved a member's own lots in [$2, $3), what was charged for the member's work to lots of
-- others, and what lay in the own lots before. Sections go by the accounts that an entry touches,
-- not by its kind. An attempt's charges are one line for each owner that paid; its unit-time is
-- shared among them by what they paid, so that the lines sum to what ran. $1 member.
-- name: statement
WITH own AS MATERIALIZED (
  SELECT c.id, c.kind = 'lot' AS lot
    FROM accounts c JOIN assets s ON s.id = c.asset
   WHERE c.owner_kind = 'member' AND c.owner_id = $1::bigint AND c.kind IN ('lot', 'spent')
     AND s.kind = 'currency'
), entry AS MATERIALIZED (  -- each once, whichever side is the member's
  SELECT t.id, t.at, t.debit, t.credit, t.amount, t.kind, t.reason, t.job, t.index, t.number, t.tier,
         t.source, t.project, t.unit_ms
    FROM transfers t
   WHERE t.at >= $2::timestamptz AND t.at < $3::timestamptz
     AND (t.credit = ANY (ARRAY (SELECT id FROM own))
          OR t.debit = ANY (ARRAY (SELECT id FROM own)))
), side AS (
  SELECT e.*, d.kind AS debit_kind, c.kind AS credit_kind,
         (CASE WHEN oc.lot THEN 1 ELSE 0 END) - (CASE WHEN od.lot THEN 1 ELSE 0 END) AS moved,
         (CASE WHEN NOT oc.lot THEN 1 ELSE 0 END) - (CASE WHEN NOT od.lot THEN 1 ELSE 0 END)
           AS spent,
         CASE WHEN coalesce(od.lot, NOT oc.lot) THEN c.id ELSE d.id END AS other_of_lot,
         CASE WHEN NOT oc.lot THEN d.id ELSE c.id END AS other_of_spent
    FROM entry e
    JOIN accounts d ON d.id = e.debit
    JOIN accounts c ON c.id = e.credit
    LEFT JOIN own od ON od.id = e.debit
    LEFT JOIN own oc ON oc.id = e.credit
), sorted AS (
  SELECT s.*, CASE WHEN moved = 0 THEN 'elsewhere'
                   WHEN credit_kind = 'spent' THEN 'charge'
                   WHEN debit_kind = 'spent' THEN 'refund'
                   WHEN 'lapsed' IN (debit_kind, credit_kind) THEN 'lapse'
                   WHEN moved > 0 AND debit_kind IN ('paid_in', 'external', 'lot') THEN 'credit'
                   WHEN moved < 0 AND credit_kind IN ('paid_in', 'external', 'lot') THEN 'withdraw'
                   ELSE 'other' END AS section,
         CASE WHEN moved = 0 THEN other_of_spent ELSE other_of_lot END AS other,
         CASE WHEN moved = 0 THEN spent ELSE moved END AS sign
    FROM side s
   WHERE moved <> 0 OR spent <> 0
), line AS (
  SELECT x.section, x.sign, max(x.at) AS at, min(x.id) AS id, x.kind, x.job, x.index, x.number,
         x.tier, x.source, x.project, a.kind AS other_kind, a.owner_kind, a.owner_id, x.reason,
         sum(x.amount) AS amount, sum(x.unit_ms) AS unit_ms,
         x.credit_kind = 'spent' AND x.job IS NOT NULL AS charged
    FROM sorted x JOIN accounts a ON a.id = x.other
   GROUP BY x.section, x.sign, x.kind, x.job, x.index, x.number, x.tier, x.source, x.project,
            a.kind, a.owner_kind, a.owner_id, x.reason, x.credit_kind = 'spent',
            CASE WHEN x.credit_kind = 'spent' AND x.job IS NOT NULL THEN 0 ELSE x.id END
), before AS (  -- whole months from the sums, what is left of the last from the entries
  SELECT sum(m.net) AS net
    FROM lot_months m
   WHERE m.account IN (SELECT id FROM own WHERE lot)
     AND m.month < date_trunc('month', $2::timestamptz AT TIME ZONE lab_zone())
  UNION ALL
  SELECT sum((CASE WHEN t.credit IN (SELECT id FROM own WHERE lot) THEN t.amount::numeric ELSE 0 END)
           - (CASE WHEN t.debit IN (SELECT id FROM own WHERE lot) THEN t.amount ELSE 0 END))
    FROM transfers t
   WHERE t.at < $2::timestamptz
     AND t.at >= date_trunc('month', $2::timestamptz AT TIME ZONE lab_zone())
                 AT TIME ZONE lab_zone()
     AND (t.credit = ANY (ARRAY (SELECT id FROM own WHERE lot))
          OR t.debit = ANY (ARRAY (SELECT id FROM own WHERE lot)))
), owner AS MATERIALIZED (  -- named once each, not once a line
  SELECT o.*, owner_name(o.owner_kind, o.owner_id) AS name
    FROM (SELECT DISTINCT owner_kind, owner_id FROM line) o
), cut AS (
  SELECT l.*, sum(coalesce(p.unit_ms, l.unit_ms)) OVER attempt AS all_ms,
         sum(l.amount) OVER attempt AS all_amount,
         sum(l.amount) OVER (attempt ORDER BY l.section, l.id) AS so_far
    FROM line l
   CROSS JOIN LATERAL (  -- hours of a package stand in entries of its own unit-time
     SELECT sum(t.unit_ms) AS unit_ms FROM transfers t
      WHERE l.charged AND l.source = 'package' AND t.kind = 'charge' AND t.asset <> 1
        AND (t.job, t.index, t.number) = (l.job, l.index, l.number)
        AND t.at >= $2::timestamptz AND t.at < $3::timestamptz) p
  WINDOW attempt AS (PARTITION BY l.charged, l.job, l.index, l.number,
                                  CASE WHEN l.charged THEN 0 ELSE l.id END)
)
SELECT * FROM (
SELECT 'opening' AS section, NULL::timestamptz AS at, '' AS kind, 0::bigint AS job, 0 AS index,
       0 AS number, '' AS tier, 'on_demand' AS source, 0::bigint AS unit_ms, 0::bigint AS rate,
       coalesce((SELECT sum(b.net) FROM before b), 0)::bigint AS amount,
       'lot' AS other_kind, '' AS other_owner, '' AS project, '' AS reason, 0::bigint AS id
UNION ALL
SELECT c.section, c.at, c.kind, c.job, c.index, c.number, t.name, c.source,
       (round(c.all_ms * c.so_far / c.all_amount)
        - round(c.all_ms * (c.so_far - c.amount) / c.all_amount))::bigint,
       a.rate, (c.sign * c.amount)::bigint, c.other_kind, o.name,
       p.name, c.reason, c.id
  FROM cut c
  JOIN owner o ON o.owner_kind = c.owner_kind AND o.owner_id = c.owner_id
  LEFT JOIN attempts a USING (job, index, number)
  LEFT JOIN tiers t ON t.id = c.tier
  LEFT JOIN projects p ON p.id = c.project
) x
 ORDER BY section <> 'opening', section, at, job, index, number, id
;
