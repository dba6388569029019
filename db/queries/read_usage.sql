-- Who used what: sums over transfers, [$2, $3).

-- $1 by ('all': one line over everything), $4 one member or 0. Overhead is the lab's own line; what
-- is given back to a lot or to the outside is below zero, in the time in which it was given back.
-- Days and months are the lab's. Wasted: attempts that ended neither well nor by a cancel, nor to
-- be run again.
-- name: usage_report
WITH zone AS (SELECT timezone FROM lab), entry AS MATERIALIZED (
  SELECT CASE WHEN $1::text = 'all' THEN '' WHEN t.payer_kind = 'lab' THEN 'lab'
              ELSE CASE $1::text
                WHEN 'member' THEN (SELECT name FROM members m WHERE m.id = t.member)
                WHEN 'project' THEN (SELECT name FROM projects p WHERE p.id = t.project)
                WHEN 'tier' THEN (SELECT name FROM tiers x WHERE x.id = t.tier)
                WHEN 'source' THEN t.source
                WHEN 'node' THEN (SELECT name FROM nodes n WHERE n.id = t.node)
                WHEN 'day' THEN to_char(t.at AT TIME ZONE zone.timezone, 'YYYY-MM-DD')
                WHEN 'month' THEN to_char(t.at AT TIME ZONE zone.timezone, 'YYYY-MM')
                WHEN 'job' THEN t.job::text END END AS key,
         $1::text <> 'all' AND t.payer_kind = 'lab' AS lab,
         t.job, t.index, t.number,
         -- Hours of a package are entries of unit-time, and their cost one of money beside them.
         CASE WHEN t.asset <> 1 THEN 0 WHEN c.kind IN ('lot', 'external', 'inventory') THEN -t.amount
              ELSE t.amount END AS amount,
         CASE WHEN c.kind IN ('lot', 'external', 'inventory') THEN -t.unit_ms
              ELSE t.unit_ms END AS unit_ms
    FROM transfers t JOIN accounts c ON c.id = t.credit CROSS JOIN zone
   WHERE t.at >= $2::timestamptz AND t.at < $3::timestamptz
     AND t.kind IN ('charge', 'overhead', 'reversal', 'refund', 'correct') AND t.job IS NOT NULL
     AND ($4::bigint = 0 OR (t.member = $4::bigint AND t.payer_kind <> 'lab'))
), by_attempt AS (
  SELECT key, lab, job, index, number, sum(amount) AS amount, sum(unit_ms) AS unit_ms
    FROM entry GROUP BY key, lab, job, index, number
), by_job AS (
  SELECT b.key, b.lab, b.job, sum(b.amount) AS amount, sum(b.unit_ms) AS unit_ms,
         sum(b.amount) FILTER (
           WHERE a.ended_at IS NOT NULL
             AND a.end_reason NOT IN ('RunAgain', 'CancelledByUser', 'CancelledByAdmin')
             AND NOT (a.end_reason = 'Exited' AND a.exited AND a.exit_code = 0 AND a.signal = 0)
         ) AS wasted
    FROM by_attempt b JOIN attempts a USING (job, index, number)
   GROUP BY b.key, b.lab, b.job
), waited AS (
  SELECT w.job, (SELECT min(a.started_at) FROM attempts a WHERE a.job = w.job)
                - (SELECT j.submitted_at FROM jobs j WHERE j.id = w.job) AS wait
    FROM (SELECT DISTINCT job FROM by_job) w
)
SELECT b.key, b.lab, sum(b.unit_ms)::bigint, sum(b.amount)::bigint, count(*),
       (extract(epoch FROM percentile_disc(0.5) WITHIN GROUP (ORDER BY w.wait)) * 1000000)::bigint,
       coalesce(sum(b.wasted), 0)::bigint
  FROM by_job b LEFT JOIN waited w USING (job)
 GROUP BY b.key, b.lab
 ORDER BY b.lab, CASE WHEN $1::text = 'job' AND NOT b.lab THEN b.key::bigint END, b.key
;
