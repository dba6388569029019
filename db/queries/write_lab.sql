-- What a batch writes: one statement a table, one array a column, in the columns' order.

-- name: write_lab
INSERT INTO lab (run, name, currency, timezone, openness, confirm_above, half_life_h, weight_fair,
                 weight_age, weight_class, weight_size, max_array, next_id, next_job,
                 next_transfer, usage_hour, night_from_min, night_to_min)
SELECT run, name, currency, timezone, openness, confirm_above, half_life_h, weight_fair,
       weight_age, weight_class, weight_size, max_array, next_id, next_job, next_transfer,
       usage_hour,
       night_from_min, night_to_min
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[],
              $7::integer[], $8::integer[], $9::integer[], $10::integer[],
              $11::integer[], $12::integer[], $13::bigint[], $14::bigint[],
              $15::bigint[], $16::timestamptz[],
              $17::integer[], $18::integer[])
    AS r(run, name, currency, timezone, openness, confirm_above, half_life_h, weight_fair,
          weight_age, weight_class, weight_size, max_array, next_id, next_job,
          next_transfer, usage_hour, night_from_min, night_to_min)
    ON CONFLICT (only_row) DO UPDATE
   SET (run, name, currency, timezone, openness, confirm_above, half_life_h, weight_fair,
        weight_age, weight_class, weight_size, max_array, next_id, next_job, next_transfer,
        usage_hour,
        night_from_min, night_to_min)
     = (excluded.run, excluded.name, excluded.currency, excluded.timezone, excluded.openness,
        excluded.confirm_above, excluded.half_life_h, excluded.weight_fair,
        excluded.weight_age, excluded.weight_class, excluded.weight_size,
        excluded.max_array, excluded.next_id, excluded.next_job, excluded.next_transfer,
        excluded.usage_hour,
        excluded.night_from_min, excluded.night_to_min)
;

-- Where nothing else of the lab's row has changed.
-- name: write_counters
UPDATE lab SET next_id = $1::bigint, next_job = $2::bigint, next_transfer = $3::bigint
;

-- name: write_members
INSERT INTO members (id, name, share, admin, removed)
SELECT id, name, share, admin, removed
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::boolean[], $5::boolean[])
    AS r(id, name, share, admin, removed)
    ON CONFLICT (id) DO UPDATE
   SET (name, share, admin, removed)
     = (excluded.name, excluded.share, excluded.admin, excluded.removed)
;

-- name: write_projects
INSERT INTO projects (id, name, members, share)
SELECT id, name, members::bigint[],
       share
  FROM unnest($1::bigint[], $2::text[], $3::text[],
              $4::bigint[])
    AS r(id, name, members, share)
    ON CONFLICT (id) DO UPDATE
   SET (name, members,
        share)
     = (excluded.name, excluded.members,
        excluded.share)
;

-- name: write_tiers
INSERT INTO tiers (id, name, purpose, unit_gpus, unit_cpus, unit_memory, default_time_us,
                   max_time_us,
                   staging_limit_us, fence_us, absent, simulated_units, gate, gate_within_us, gate_refuses, min_run_us,
                   advice_refuses, on_demand_after)
SELECT id, name, purpose, unit_gpus, unit_cpus, unit_memory, default_time_us, max_time_us,
       staging_limit_us, fence_us, absent, simulated_units,
       gate, gate_within_us, gate_refuses, min_run_us, advice_refuses, on_demand_after
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::bigint[],
              $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
              $11::boolean[], $12::integer[],
              $13::bigint[], $14::bigint[], $15::boolean[], $16::bigint[], $17::boolean[],
              $18::integer[])
    AS r(id, name, purpose, unit_gpus, unit_cpus, unit_memory, default_time_us, max_time_us,
          staging_limit_us, fence_us, absent, simulated_units, gate, gate_within_us, gate_refuses, min_run_us,
          advice_refuses, on_demand_after)
    ON CONFLICT (id) DO UPDATE
   SET (name, purpose, unit_gpus, unit_cpus, unit_memory, default_time_us, max_time_us,
        staging_limit_us, fence_us, absent, simulated_units,
        gate, gate_within_us, gate_refuses, min_run_us, advice_refuses, on_demand_after)
     = (excluded.name, excluded.purpose, excluded.unit_gpus, excluded.unit_cpus,
        excluded.unit_memory, excluded.default_time_us, excluded.max_time_us,
        excluded.staging_limit_us, excluded.fence_us, excluded.absent,
        excluded.simulated_units,
        excluded.gate, excluded.gate_within_us, excluded.gate_refuses, excluded.min_run_us,
        excluded.advice_refuses, excluded.on_demand_after)
;

-- name: write_rates
INSERT INTO rates (tier, source, valid_from, rate)
SELECT tier, source, valid_from, rate
  FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::bigint[])
    AS r(tier, source, valid_from, rate)
;

-- name: write_periods
INSERT INTO periods (kind, start_at, end_at)
SELECT kind, start_at, end_at
  FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[])
    AS r(kind, start_at, end_at)
;

-- name: write_cards
INSERT INTO cards (name, low, high, priced_on, good_for, observation, observed_on, memory_mib,
                   fp32_gflops, fp16_gflops, bandwidth_gbs, power_w, bf16, absent)
SELECT name, low, high, priced_on, good_for, observation, observed_on, memory_mib, fp32_gflops,
       fp16_gflops, bandwidth_gbs, power_w, bf16, absent
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
              $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
              $13::boolean[], $14::boolean[])
    AS r(name, low, high, priced_on, good_for, observation, observed_on, memory_mib, fp32_gflops,
         fp16_gflops, bandwidth_gbs, power_w, bf16, absent)
    ON CONFLICT (name) DO UPDATE
   SET (low, high, priced_on, good_for, observation, observed_on, memory_mib, fp32_gflops,
        fp16_gflops, bandwidth_gbs, power_w, bf16, absent)
     = (excluded.low, excluded.high, excluded.priced_on, excluded.good_for, excluded.observation,
        excluded.observed_on, excluded.memory_mib, excluded.fp32_gflops, excluded.fp16_gflops,
        excluded.bandwidth_gbs, excluded.power_w, excluded.bf16, excluded.absent)
;
