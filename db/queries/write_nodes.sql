-- What a batch writes: one statement a table, one array a column, in the columns' order.

-- name: write_nodes
INSERT INTO nodes (id, name, tier, state, reason, drain_wanted, simulated, units, cpus, memory,
                   gpus,
                   instance, incarnation, boot_id, version, removed, source, unfit,
                   key_hash, join_hash, join_until, join_used, cuda)
SELECT id, name, tier, state, reason, drain_wanted, simulated, units, cpus, memory, gpus::jsonb,
       instance, incarnation, boot_id, version, removed,
       source, unfit, key_hash, join_hash, join_until, join_used, cuda
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[],
              $7::boolean[], $8::integer[], $9::integer[], $10::bigint[],
              $11::text[], $12::text[], $13::bigint[], $14::text[], $15::bigint[],
              $16::boolean[],
              $17::text[], $18::text[], $19::text[], $20::text[], $21::timestamptz[],
              $22::boolean[], $23::integer[])
    AS r(id, name, tier, state, reason, drain_wanted, simulated, units, cpus, memory, gpus,
          instance, incarnation, boot_id, version, removed, source, unfit,
                   key_hash, join_hash, join_until, join_used, cuda)
    ON CONFLICT (id) DO UPDATE
   SET (name, tier, state, reason, drain_wanted, simulated, units, cpus, memory, gpus, instance,
        incarnation, boot_id, version, removed,
        source, unfit,
                   key_hash, join_hash, join_until, join_used, cuda)
     = (excluded.name, excluded.tier, excluded.state, excluded.reason, excluded.drain_wanted,
        excluded.simulated, excluded.units, excluded.cpus, excluded.memory, excluded.gpus,
        excluded.instance, excluded.incarnation, excluded.boot_id, excluded.version,
        excluded.removed,
        excluded.source, excluded.unfit, excluded.key_hash, excluded.join_hash,
        excluded.join_until, excluded.join_used, excluded.cuda)
;

-- name: write_tokens
INSERT INTO tokens (hash, member, created_at, revoked)
SELECT hash, member, created_at, revoked
  FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::boolean[])
    AS r(hash, member, created_at, revoked)
    ON CONFLICT (hash) DO UPDATE
   SET (member, created_at, revoked)
     = (excluded.member, excluded.created_at, excluded.revoked)
;
