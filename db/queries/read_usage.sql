-- Who used what: sums over the transfers of [$2, $3). What counts is the account that an entry
-- touches: money that reaches `spent` or an overhead account was used, money that leaves it was not.
-- So corrections of any kind are in it with their sign. The hours of a package are entries of
-- unit-time; their cost is one of money beside them.

-- $1 by; filters, 0 or '' for none: $4 member, $5 job, $6 project, $7 tier, $8 source, $9 node.
-- Overhead is the lab's own line; one member's report is without it. The last row is the whole.
-- Days and months are the lab's. Wasted: attempts that ended neither well nor by a cancel, nor to be
-- run again.
-- name: usage_report
WITH zone AS MATERIALIZED (SELECT timezone FROM lab), used AS MATERIALIZED (
  SELECT c.id, c.kind <> 'spent' AS lab, s.kind = 'currency' AS money
    FROM accounts c JOIN assets s ON s.id = c.asset
   WHERE c.kind = 'spent' OR c.kind LIKE 'overhead\_%'
), by_attempt AS MATERIALIZED (
  SELECT u.lab,
         CASE WHEN u.lab THEN NULL ELSE CASE $1::text
           WHEN 'member' THEN t.member
           WHEN 'project' THEN t.project
           WHEN 'tier' THEN t.tier
           WHEN 'source' THEN ascii(t.source)::bigint * 256 + ascii(substr(t.source, 2))
           WHEN 'node' THEN t.node
           WHEN 'day' THEN (t.at AT TIME ZONE zone.timezone)::date - date '1970-01-01'
           WHEN 'month' THEN date_trunc('month', t.at AT TIME ZONE zone.timezone)::date
                             - date '1970-01-01'
           WHEN 'job' THEN t.job END END AS key,
         min(CASE WHEN $1::text = 'source' THEN t.source END) AS source,
         t.job, t.index, t.number,
         coalesce(sum(side.sign * t.amount) FILTER (WHERE u.money), 0)::bigint AS amount,
         sum(side.sign * t.unit_ms)::bigint AS unit_ms
    FROM zone, transfers t
   CROSS JOIN LATERAL (VALUES (t.credit, 1), (t.debit, -1)) side (account, sign)
    JOIN used u ON u.id = side.account
   WHERE t.at >= $2::timestamptz AND t.at < $3::timestamptz
     AND ($4::bigint = 0 OR (t.member = $4::bigint AND NOT u.lab))
     AND ($5::bigint = 0 OR t.job = $5::bigint)
     AND ($6::text = '' OR t.project IN (SELECT id FROM projects WHERE name = $6::text))
     AND ($7::text = '' OR t.tier IN (SELECT id FROM tiers WHERE name = $7::text))
     AND ($8::text = '' OR t.source = $8::text)
     AND ($9::text = '' OR t.node IN (SELECT id FROM nodes WHERE name = $9::text))
   GROUP BY 1, 2, t.job, t.index, t.number
), judged AS (  -- by the index, whatever is estimated: OFFSET 0
  SELECT b.lab, b.key, b.source, b.job, b.amount, b.unit_ms, b.unit_ms / a.units AS wall_ms,
         CASE WHEN a.wasted THEN b.amount ELSE 0 END AS wasted
    FROM by_attempt b LEFT JOIN LATERAL (
     SELECT x.units,
            x.ended_at IS NOT NULL
              AND x.end_reason NOT IN ('RunAgain', 'CancelledByUser', 'CancelledByAdmin')
              AND NOT (x.end_reason = 'Exited' AND x.exited AND x.exit_code = 0 AND x.signal = 0)
              AS wasted
       FROM attempts x
      WHERE x.job = b.job AND x.index = b.index AND x.number = b.number OFFSET 0) a ON true
), by_job AS MATERIALIZED (
  SELECT g.*, (SELECT min(a.started_at) FROM attempts a WHERE a.job = g.job)
              - (SELECT j.submitted_at FROM jobs j WHERE j.id = g.job) AS wait
    FROM (SELECT lab, key, min(source) AS source, job, sum(amount) AS amount,
                 sum(unit_ms) AS unit_ms, sum(wall_ms) AS wall_ms, sum(wasted) AS wasted,
                 count(job) AS attempts
            FROM judged GROUP BY lab, key, job) g
), one AS (  -- each job once
  SELECT DISTINCT job, wait FROM by_job WHERE job IS NOT NULL
), line AS (
  SELECT b.lab, b.key, min(b.source) AS source, sum(b.unit_ms)::bigint AS unit_ms,
         sum(b.wall_ms)::bigint AS wall_ms, sum(b.amount)::bigint AS amount,
         count(b.job) AS jobs, sum(b.attempts)::bigint AS attempts,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY b.wait) AS wait,
         sum(b.wasted)::bigint AS wasted
    FROM by_job b
   GROUP BY b.lab, b.key
), named AS (
  SELECT false AS whole, l.*, CASE WHEN l.lab THEN 'lab' WHEN l.key IS NULL THEN '' ELSE
           CASE $1::text
             WHEN 'member' THEN (SELECT name FROM members m WHERE m.id = l.key)
             WHEN 'project' THEN (SELECT name FROM projects p WHERE p.id = l.key)
             WHEN 'tier' THEN (SELECT name FROM tiers x WHERE x.id = l.key)
             WHEN 'source' THEN l.source
             WHEN 'node' THEN (SELECT name FROM nodes n WHERE n.id = l.key)
             WHEN 'day' THEN to_char(date '1970-01-01' + l.key::integer, 'YYYY-MM-DD')
             WHEN 'month' THEN to_char(date '1970-01-01' + l.key::integer, 'YYYY-MM')
             WHEN 'job' THEN l.key::text END END AS name
    FROM line l
  UNION ALL
  SELECT true, false, NULL, NULL, sum(unit_ms)::bigint, sum(wall_ms)::bigint,
         sum(amount)::bigint, (SELECT count(*) FROM one),
         (SELECT count(*) FROM (SELECT DISTINCT job, index, number FROM by_attempt
                                 WHERE job IS NOT NULL) d),
         (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY wait) FROM one),
         sum(wasted)::bigint, ''
    FROM line HAVING count(*) > 0
)
SELECT name, lab, whole, unit_ms, coalesce(wall_ms, 0), amount, jobs, attempts,
       coalesce((extract(epoch FROM wait) * 1000000)::bigint, 0), wasted
  FROM named
 ORDER BY whole, lab, CASE WHEN $1::text = 'job' THEN key END, name
;

-- Which of the names in a report's filters stand for nothing.
-- name: usage_names
SELECT $1::text = '' OR EXISTS (SELECT FROM projects WHERE name = $1::text),
       $2::text = '' OR EXISTS (SELECT FROM tiers WHERE name = $2::text),
       $3::text = '' OR EXISTS (SELECT FROM nodes WHERE name = $3::text)
;
