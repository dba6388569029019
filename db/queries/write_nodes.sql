-- What a batch writes: one statement a table, one array a column, in the columns' order.

-- name: write_nodes
INSERT INTO nodes (id, name, tier, state, reason, drain_wanted, simulated, units, cpus, memory,
                   gpus,
                   instance, incarnation, boot_id, version, removed, source, unfit)
SELECT id, name, tier, state, reason, drain_wanted, simulated, units, cpus, memory, gpus::jsonb,
       instance, incarnation, boot_id, version, removed,
       source, unfit
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[],
              $7::boolean[], $8::integer[], $9::integer[], $10::bigint[],
              $11::text[], $12::text[], $13::bigint[], $14::text[], $15::bigint[],
              $16::boolean[],
              $17::text[], $18::text[])
    AS r(id, name, tier, state, reason, drain_wanted, simulated, units, cpus, memory, gpus,
          instance, incarnation, boot_id, version, removed, source, unfit)
    ON CONFLICT (id) DO UPDATE
   SET (name, tier, state, reason, drain_wanted, simulated, units, cpus, memory, gpus, instance,
        incarnation, boot_id, version, removed,
        source, unfit)
     = (excluded.name, excluded.tier, excluded.state, excluded.reason, excluded.drain_wanted,
        excluded.simulated, excluded.units, excluded.cpus, excluded.memory, excluded.gpus,
        excluded.instance, excluded.incarnation, excluded.boot_id, excluded.version,
        excluded.removed,
        excluded.source, excluded.unfit)
;

-- name: write_tokens
INSERT INTO tokens (hash, member, node, tier, created_at, revoked, source)
SELECT hash, member, node, tier, created_at, revoked,
       source
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::timestamptz[], $6::boolean[],
              $7::text[])
    AS r(hash, member, node, tier, created_at, revoked, source)
    ON CONFLICT (hash) DO UPDATE
   SET (member, node, tier, created_at, revoked,
        source)
     = (excluded.member, excluded.node, excluded.tier, excluded.created_at, excluded.revoked,
        excluded.source)
;
