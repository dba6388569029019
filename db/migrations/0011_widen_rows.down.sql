DELETE FROM usage WHERE project <> 0;
ALTER TABLE usage DROP CONSTRAINT usage_pkey;
ALTER TABLE usage DROP COLUMN project;
ALTER TABLE usage ADD PRIMARY KEY (member);
ALTER TABLE periods DROP CONSTRAINT periods_kind_check;
ALTER TABLE periods ADD CONSTRAINT periods_kind_check CHECK (kind IN ('day', 'month'));
ALTER TABLE limits DROP CONSTRAINT limits_dated;
ALTER TABLE limits DROP CONSTRAINT limits_period_check;
ALTER TABLE limits ADD CONSTRAINT limits_period_check CHECK (period IN ('none', 'day', 'month'));
ALTER TABLE limits DROP COLUMN block_at, DROP COLUMN notify_at, DROP COLUMN starts_at;
ALTER TABLE transfers DROP COLUMN invoice, DROP COLUMN rental;
ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check;
ALTER TABLE transfers ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw',
  'charge', 'overhead', 'lapse', 'reversal', 'refund', 'transfer', 'correct', 'purchase', 'payment'));
ALTER TABLE accounts DROP CONSTRAINT accounts_kind_check;
ALTER TABLE accounts ADD CONSTRAINT accounts_kind_check CHECK (kind IN ('lot', 'paid_in', 'external',
  'spent', 'overhead_start', 'overhead_node', 'overhead_overrun', 'overhead_other', 'lapsed',
  'inventory', 'overhead_lapsed'));
ALTER TABLE settlements DROP COLUMN payer;
ALTER TABLE attempts DROP COLUMN checkpoint_ms;
ALTER TABLE jobs DROP COLUMN gate_skipped, DROP COLUMN charged, DROP COLUMN max_rate,
  DROP COLUMN max_cost, DROP COLUMN deadline, DROP COLUMN night, DROP COLUMN begin_at,
  DROP COLUMN name_hash, DROP COLUMN keep_invalid, DROP COLUMN waits_on, DROP COLUMN dependency;
ALTER TABLE tokens DROP COLUMN source;
ALTER TABLE nodes DROP COLUMN source;
ALTER TABLE tiers DROP COLUMN min_run_us, DROP COLUMN gate_refuses, DROP COLUMN gate_within_us,
  DROP COLUMN gate;
ALTER TABLE projects DROP COLUMN share;
ALTER TABLE lab DROP COLUMN night_to_min, DROP COLUMN night_from_min;
