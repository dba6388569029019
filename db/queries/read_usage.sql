-- Who used what in [$2, $3): from the sums (migration 0015). What counts is the account that an entry
-- touches: money that reaches `spent` or an overhead account was used, money that leaves it was not.
-- So corrections of any kind are in it with their sign. The hours of a package are entries of
-- unit-time; their cost is one of money beside them.

-- $1 by; filters, 0 or '' for none: $4 member, $5 job, $6 project, $7 tier, $8 source, $9 node.
-- Overhead is the lab's own line; one member's report is without it. The last row is the whole.
-- Days and months are the lab's. Wasted: attempts that ended neither well nor by a cancel, nor to be
-- run again. A job's wait is to the first start of what the window has of it.
-- name: usage_report
WITH used AS MATERIALIZED (
  SELECT u.part = 'lab' AS lab,
         CASE WHEN u.part = 'lab' THEN NULL ELSE CASE $1::text
           WHEN 'member' THEN u.member
           WHEN 'project' THEN nullif(u.project, 0)
           WHEN 'tier' THEN nullif(u.tier, 0)
           WHEN 'source' THEN ascii(u.source)::bigint * 256 + ascii(substr(u.source, 2))
           WHEN 'node' THEN nullif(u.node, 0)
           WHEN 'day' THEN u.day - date '1970-01-01'
           WHEN 'month' THEN date_trunc('month', u.day)::date - date '1970-01-01'
           WHEN 'job' THEN nullif(u.job, 0) END END AS key,
         CASE WHEN $1::text = 'source' THEN u.source END AS source,
         nullif(u.job, 0) AS job, u.amount, u.unit_ms, u.unit_ms / nullif(u.units, 0) AS wall_ms,
         u.wasted, u.attempts, u.shared, u.wait_us
    FROM usage_between($2::timestamptz, $3::timestamptz, $5::bigint) u
   WHERE u.part IN ('member', 'lab')
     AND ($4::bigint = 0 OR (u.member = $4::bigint AND u.part = 'member'))
     AND ($6::text = '' OR u.project IN (SELECT id FROM projects WHERE name = $6::text))
     AND ($7::text = '' OR u.tier IN (SELECT id FROM tiers WHERE name = $7::text))
     AND ($8::text = '' OR u.source = $8::text)
     AND ($9::text = '' OR u.node IN (SELECT id FROM nodes WHERE name = $9::text))
), by_job AS MATERIALIZED (
  SELECT lab, key, min(source) AS source, job, sum(amount) AS amount, sum(unit_ms) AS unit_ms,
         sum(wall_ms) AS wall_ms, sum(wasted) AS wasted, sum(attempts) AS attempts,
         sum(shared) AS shared, min(wait_us) AS wait_us
    FROM used GROUP BY lab, key, job
), one AS (  -- each job once
  SELECT job, min(wait_us) AS wait_us FROM by_job WHERE job IS NOT NULL GROUP BY job
), line AS (
  SELECT b.lab, b.key, min(b.source) AS source, sum(b.unit_ms)::bigint AS unit_ms,
         sum(b.wall_ms)::bigint AS wall_ms, sum(b.amount)::bigint AS amount,
         count(b.job) AS jobs, sum(b.attempts)::bigint AS attempts,
         sum(b.shared)::bigint AS shared,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY b.wait_us) AS wait_us,
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
         (sum(attempts) - sum(shared))::bigint, 0,
         (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY wait_us) FROM one),
         sum(wasted)::bigint, ''
    FROM line HAVING count(*) > 0
)
SELECT name, lab, whole, unit_ms, coalesce(wall_ms, 0), amount, jobs, attempts,
       coalesce(wait_us, 0), wasted
  FROM named
 ORDER BY whole, lab, CASE WHEN $1::text = 'job' THEN key END, name
;

-- Which of the names in a report's filters stand for nothing.
-- name: usage_names
SELECT $1::text = '' OR EXISTS (SELECT FROM projects WHERE name = $1::text),
       $2::text = '' OR EXISTS (SELECT FROM tiers WHERE name = $2::text),
       $3::text = '' OR EXISTS (SELECT FROM nodes WHERE name = $3::text)
;

-- What each tier cost in [$1, $2), and what became of it. Used: attempts, whoever paid, less those that
-- ended in vain. Idle: paid up-time without work, and hours of packages that lapsed to the lab. The rest:
-- minimum and rounding, disk, egress, variance of price, vouchers, what nobody has explained.
-- name: pool_report
SELECT t.name, sum(u.amount)::bigint,
       (coalesce(sum(u.amount) FILTER (WHERE u.part = 'member' OR (u.part = 'lab' AND u.job <> 0)), 0)
        - sum(u.wasted))::bigint,
       sum(u.wasted)::bigint,
       coalesce(sum(u.amount) FILTER (WHERE u.part = 'idle' OR (u.part = 'lab' AND u.job = 0)),
                0)::bigint,
       coalesce(sum(u.amount) FILTER (WHERE u.part NOT IN ('member', 'lab', 'idle')), 0)::bigint,
       sum(u.unit_ms)::bigint
  FROM usage_between($1::timestamptz, $2::timestamptz, 0) u
  LEFT JOIN tiers t ON t.id = u.tier
 GROUP BY t.id
 ORDER BY t.name
;

-- $1 from, at a whole hour, $2 to, $3 member or 0. Unit-milliseconds of each tier in each hour, those of
-- attempts that wrote checkpoints apart; hours without use are left out.
-- name: hourly_use
SELECT a.tier, h, sum(a.units * u.ms)::bigint,
       coalesce(sum(a.units * u.ms) FILTER (WHERE a.checkpoint_ms > 0), 0)::bigint
  FROM (SELECT tier, units, checkpoint_ms, greatest(started_at, $1::timestamptz) AS since,
               least(coalesce(ended_at, $2::timestamptz), $2::timestamptz) AS until
          FROM attempts
         WHERE started_at < $2::timestamptz AND (ended_at IS NULL OR ended_at > $1::timestamptz)
           AND ($3::bigint = 0 OR member = $3::bigint)) a
 CROSS JOIN LATERAL generate_series(date_trunc('hour', a.since), a.until - interval '1 microsecond',
                                    interval '1 hour') h
 CROSS JOIN LATERAL (
  SELECT extract(epoch FROM least(a.until, h + interval '1 hour') - greatest(a.since, h)) * 1000
           AS ms) u
 GROUP BY a.tier, h ORDER BY a.tier, h
;
