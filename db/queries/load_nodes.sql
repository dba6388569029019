-- What core loads: the live part of each table ($1: core's time at the last batch).

-- name: load_nodes
SELECT id, name, tier, state, reason, drain_wanted, simulated, units, cpus, memory,
       ARRAY(SELECT coalesce(g ->> f.key, '')
          FROM jsonb_array_elements(nodes.gpus) WITH ORDINALITY AS e(g, i),
               unnest(ARRAY['index', 'uuid', 'name', 'memory_mib', 'fault']) WITH ORDINALITY AS f(key, j)
         ORDER BY i, j),
       instance, incarnation, boot_id, version, removed,
       source, unfit, key_hash, join_hash, join_until, join_used, cuda
  FROM nodes
 WHERE NOT removed
 ORDER BY id
;
