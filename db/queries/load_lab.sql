-- What core loads: the live part of each table ($1: core's time at the last batch).

-- name: load_lab
SELECT run, name, currency, timezone, openness, confirm_above, half_life_h, weight_fair,
       weight_age, weight_class, weight_size, max_array, next_id, next_job, next_transfer,
       usage_hour,
       night_from_min, night_to_min
  FROM lab
;

-- name: load_members
SELECT id, name, share, admin, removed
  FROM members
 ORDER BY id
;

-- name: load_projects
SELECT id, name, members,
       share
  FROM projects
 ORDER BY id
;

-- name: load_tiers
SELECT id, name, purpose, unit_gpus, unit_cpus, unit_memory, default_time_us, max_time_us,
       staging_limit_us, fence_us, absent, simulated_units,
       gate, gate_within_us, gate_refuses, min_run_us, advice_refuses, on_demand_after
  FROM tiers
 ORDER BY id
;

-- name: load_rates
SELECT tier, source, valid_from, rate
  FROM rates
 ORDER BY tier, source, valid_from
;

-- name: load_periods
SELECT kind, start_at, end_at
  FROM periods
 WHERE end_at > $1::timestamptz - interval '75 days'
 ORDER BY kind, start_at
;

-- name: load_cards
SELECT name, low, high, priced_on, good_for, observation, observed_on, memory_mib, fp32_gflops,
       fp16_gflops, bandwidth_gbs, power_w, bf16, absent
  FROM cards
 ORDER BY name
;
