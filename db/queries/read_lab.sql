-- People, machines and prices.

-- name: token_by_hash
SELECT k.member, m.name, m.admin, m.removed, k.revoked
  FROM tokens k JOIN members m ON m.id = k.member
 WHERE k.hash = $1::text
;

-- An agent's key; one of a node that was removed is still known, to tell its agent so.
-- name: node_by_key
SELECT name, tier, removed FROM nodes WHERE key_hash = $1::text ORDER BY removed, id DESC LIMIT 1
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
       n.unfit, n.key_hash, n.join_hash, n.join_until, n.join_used, n.cuda,
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
