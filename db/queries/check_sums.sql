-- The sums of migration 0015 beside the entries: by other means than those that keep them, each side of
-- an entry by itself.

-- A day's sums by job are its entries, side by side.
-- name: check_sums_usage
WITH zone AS MATERIALIZED (SELECT timezone FROM lab), part AS MATERIALIZED (
  SELECT id, CASE kind WHEN 'spent' THEN 'member' ELSE 'lab' END AS part FROM accounts
   WHERE kind IN ('spent', 'overhead_start', 'overhead_node', 'overhead_overrun', 'overhead_other',
                  'overhead_lapsed')
   UNION ALL
  SELECT id, kind FROM accounts
   WHERE kind IN ('idle', 'rounding', 'disk', 'egress', 'variance', 'voucher', 'unknown')
), side AS (
  SELECT t.id, p.part, 1 AS sign FROM transfers t JOIN part p ON p.id = t.credit
   UNION ALL
  SELECT t.id, p.part, -1 FROM transfers t JOIN part p ON p.id = t.debit
), charged AS (  -- what a member paid for, and when
  SELECT DISTINCT t.job, t.index, t.number, t.at FROM side s JOIN transfers t ON t.id = s.id
   WHERE s.part = 'member' AND t.kind = 'charge'
), entry AS (
  SELECT (t.at AT TIME ZONE z.timezone)::date AS day, coalesce(t.job, 0) AS job, s.part,
         coalesce(t.member, 0) AS member, coalesce(t.project, 0) AS project,
         coalesce(t.tier, 0) AS tier, t.source, coalesce(t.node, 0) AS node,
         coalesce(a.units, 0) AS units, t.index, t.number,
         CASE t.asset WHEN 1 THEN s.sign * t.amount ELSE 0 END AS amount,
         s.sign * t.unit_ms AS unit_ms,
         t.job IS NULL OR (a.ended_at IS NOT NULL AND a.ended_at <= t.at) AS over,
         a.ended_at <= t.at AND t.kind IN ('charge', 'overhead') AS settles,
         s.part = 'lab' AND m.job IS NOT NULL AS charged,
         CASE WHEN a.end_reason IN ('', 'RunAgain', 'CancelledByUser', 'CancelledByAdmin') THEN false
              WHEN a.end_reason = 'Exited' THEN NOT a.exited OR (a.exit_code, a.signal) <> (0, 0)
              ELSE a.end_reason IS NOT NULL END AS vain,
         (extract(epoch FROM a.started_at) * 1000000
          - extract(epoch FROM j.submitted_at) * 1000000)::bigint AS wait_us
    FROM zone z
   CROSS JOIN transfers t
    JOIN side s ON s.id = t.id
    LEFT JOIN attempts a ON (a.job, a.index, a.number) = (t.job, t.index, t.number)
    LEFT JOIN jobs j ON j.id = t.job
    LEFT JOIN charged m ON (m.job, m.index, m.number, m.at) = (t.job, t.index, t.number, t.at)
), attempt AS (  -- each once a row
  SELECT DISTINCT day, job, part, member, project, tier, source, node, units, index, number, charged
    FROM entry WHERE settles
), due AS (
  SELECT day, job, part, member, project, tier, source, node, units, sum(amount) AS amount,
         sum(unit_ms) AS unit_ms, sum(CASE WHEN over AND vain THEN amount ELSE 0 END) AS wasted,
         sum(CASE WHEN over THEN 0 ELSE 1 END) AS running, min(wait_us) AS wait_us
    FROM entry GROUP BY day, job, part, member, project, tier, source, node, units
), counted AS (
  SELECT day, job, part, member, project, tier, source, node, units, count(*) AS attempts,
         sum(CASE WHEN charged THEN 1 ELSE 0 END) AS shared
    FROM (SELECT day, job, part, member, project, tier, source, node, units, index, number,
                 bool_or(charged) AS charged
            FROM attempt
           GROUP BY day, job, part, member, project, tier, source, node, units, index, number) x
   GROUP BY day, job, part, member, project, tier, source, node, units
), wanted AS (
  SELECT d.*, coalesce(c.attempts, 0) AS attempts, coalesce(c.shared, 0) AS shared
    FROM due d
    LEFT JOIN counted c USING (day, job, part, member, project, tier, source, node, units)
)
SELECT 'usage_days', format('%s/%s/%s/%s/%s/%s/%s/%s/%s', day, job, part, member, project, tier,
                            source, node, units),
       CASE WHEN w.amount IS NULL THEN 'no row'
            ELSE format('%s, %s unit-ms, wasted %s, %s while it ran, %s attempts, %s shared, wait %s us',
                        w.amount * 0.000001, w.unit_ms, w.wasted * 0.000001, w.running,
                        w.attempts, w.shared, coalesce(w.wait_us::text, 'no')) END,
       CASE WHEN u.amount IS NULL THEN 'no row'
            ELSE format('%s, %s unit-ms, wasted %s, %s while it ran, %s attempts, %s shared, wait %s us',
                        u.amount * 0.000001, u.unit_ms, u.wasted * 0.000001, u.running,
                        u.attempts, u.shared, coalesce(u.wait_us::text, 'no')) END
  FROM wanted w
  FULL JOIN usage_days u USING (day, job, part, member, project, tier, source, node, units)
 WHERE (w.amount, w.unit_ms, w.wasted, w.running, w.attempts, w.shared, w.wait_us)
       IS DISTINCT FROM (u.amount::numeric, u.unit_ms::numeric, u.wasted::numeric,
                         u.running::numeric, u.attempts, u.shared::numeric, u.wait_us)
 ORDER BY 2
 LIMIT $1
;

-- What moved a lot's account in a month is its entries of that month.
-- name: check_sums_lots
WITH moved AS (
  SELECT t.credit AS account, t.at, t.amount FROM transfers t
   UNION ALL
  SELECT t.debit, t.at, -t.amount FROM transfers t
), wanted AS (
  SELECT m.account, date_trunc('month', m.at AT TIME ZONE l.timezone)::date AS month,
         sum(m.amount) AS net
    FROM lab l, moved m
   WHERE m.account IN (SELECT id FROM accounts WHERE kind = 'lot')
   GROUP BY 1, 2
)
SELECT 'lot_months', format('%s/%s', account, month), coalesce((w.net * 0.000001)::text, 'no row'),
       coalesce((s.net * 0.000001)::text, 'no row')
  FROM wanted w
  FULL JOIN lot_months s USING (account, month)
 WHERE w.net IS DISTINCT FROM s.net::numeric
 ORDER BY 2
 LIMIT $1
;
