-- People, machines and prices.

-- name: token_by_hash
SELECT k.member, m.name, coalesce(m.admin, false), coalesce(m.removed, false), k.node, k.tier,
       t.name, k.revoked
  FROM tokens k
  LEFT JOIN members m ON m.id = k.member
  LEFT JOIN tiers t ON t.id = k.tier
 WHERE k.hash = $1::text
;

-- name: list_members
SELECT id, name, share, admin, removed FROM members ORDER BY removed, name, id
;

-- name: list_nodes
SELECT n.id, n.name, n.tier, n.state, n.reason, n.drain_wanted, n.simulated, n.units, n.cpus,
       n.memory,
       ARRAY(SELECT coalesce(g ->> f.key, '')
               FROM jsonb_array_elements(n.gpus) WITH ORDINALITY AS e(g, i),
                    unnest(ARRAY['index', 'uuid', 'name', 'memory_mib', 'fault'])
                    WITH ORDINALITY AS f(key, j)
              ORDER BY i, j),
       n.instance, n.incarnation, n.boot_id, n.version, n.removed, n.source,
       t.name, a.units, a.gpus, a.running
  FROM nodes n
  JOIN tiers t ON t.id = n.tier
  LEFT JOIN LATERAL (SELECT sum(a.units)::bigint AS units, sum(cardinality(a.gpus))::bigint AS gpus,
                            count(*) AS running
                       FROM attempts a
                      WHERE a.node = n.id AND NOT a.forgotten AND a.ended_at IS NULL) a ON true
 WHERE NOT n.removed
 ORDER BY n.name, n.id
;

-- name: tier_rates
SELECT DISTINCT ON (t.id, r.source) t.id, t.name, r.source, r.rate
  FROM rates r JOIN tiers t ON t.id = r.tier
 WHERE r.valid_from <= $1::timestamptz AND NOT t.absent
 ORDER BY t.id, r.source, r.valid_from DESC
;

-- name: last_batch
SELECT batch FROM leader
;
