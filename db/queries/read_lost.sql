-- What machines took with them.

-- $1 by, $2 from, $3 to: when attempts ended; $4 member or 0; $5 end reasons that are not the member's own
-- doing. Money as the meter charges it: of all of the time less of the time up to the checkpoint. A node's
-- provider is that of its newest rental when the attempt ended.
-- name: lost_work
WITH lost AS (
  SELECT CASE $1::text
           WHEN 'member' THEN m.name
           WHEN 'node' THEN n.name
           WHEN 'tier' THEN t.name
           WHEN 'source' THEN a.source
           WHEN 'job' THEN a.job::text
           ELSE coalesce((SELECT r.provider FROM rentals r
                           WHERE r.node = a.node AND r.opened_at <= a.ended_at
                           ORDER BY r.opened_at DESC, r.id DESC LIMIT 1), '') END AS key,
         CASE WHEN $1::text = 'job' THEN a.job ELSE 0 END AS number,
         a.metered_ms - least(a.checkpoint_ms, a.metered_ms) AS ms,
         round(a.rate::numeric * a.units * a.metered_ms / 3600000)
         - round(a.rate::numeric * a.units * least(a.checkpoint_ms, a.metered_ms) / 3600000) AS amount,
         a.checkpoint_ms = 0 AS unsaved, a.end_reason = 'SpotReclaim' AS reclaim
    FROM attempts a
    JOIN members m ON m.id = a.member
    JOIN nodes n ON n.id = a.node
    JOIN tiers t ON t.id = a.tier
   WHERE a.state = 'ENDED' AND a.metered_ms > 0 AND a.end_reason = ANY ($5::text[])
     AND a.ended_at >= $2::timestamptz AND a.ended_at < $3::timestamptz
     AND ($4::bigint = 0 OR a.member = $4::bigint)
)
SELECT key, count(*)::bigint, sum(ms)::bigint, sum(amount)::bigint,
       count(*) FILTER (WHERE unsaved)::bigint, count(*) FILTER (WHERE reclaim)::bigint
  FROM lost
 GROUP BY key, number
 ORDER BY number, key
;
