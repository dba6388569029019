-- What scheduling, sources of nodes and the provider's bill know of rows that exist already.

ALTER TABLE lab ADD COLUMN night_from_min integer NOT NULL DEFAULT 1380
    CHECK (night_from_min BETWEEN 0 AND 1439);
ALTER TABLE lab ADD COLUMN night_to_min integer NOT NULL DEFAULT 480
    CHECK (night_to_min BETWEEN 0 AND 1439);

ALTER TABLE projects ADD COLUMN share bigint NOT NULL DEFAULT 0 CHECK (share >= 0);

ALTER TABLE tiers ADD COLUMN gate bigint REFERENCES tiers;
ALTER TABLE tiers ADD COLUMN gate_within_us bigint NOT NULL DEFAULT 2592000000000
    CHECK (gate_within_us > 0);
ALTER TABLE tiers ADD COLUMN gate_refuses boolean NOT NULL DEFAULT false;
ALTER TABLE tiers ADD COLUMN min_run_us bigint NOT NULL DEFAULT 600000000 CHECK (min_run_us >= 0);

ALTER TABLE nodes ADD COLUMN source text NOT NULL DEFAULT 'on_demand'
    CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial'));
ALTER TABLE tokens ADD COLUMN source text NOT NULL DEFAULT 'on_demand'
    CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial'));

ALTER TABLE jobs ADD COLUMN dependency text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN waits_on text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN keep_invalid boolean NOT NULL DEFAULT false;
ALTER TABLE jobs ADD COLUMN name_hash bigint NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN begin_at timestamptz;
ALTER TABLE jobs ADD COLUMN night boolean NOT NULL DEFAULT false;
ALTER TABLE jobs ADD COLUMN deadline timestamptz;
ALTER TABLE jobs ADD COLUMN max_cost bigint NOT NULL DEFAULT 0 CHECK (max_cost >= 0);
ALTER TABLE jobs ADD COLUMN max_rate bigint NOT NULL DEFAULT 0 CHECK (max_rate >= 0);
ALTER TABLE jobs ADD COLUMN charged bigint NOT NULL DEFAULT 0 CHECK (charged >= 0);
ALTER TABLE jobs ADD COLUMN gate_skipped boolean NOT NULL DEFAULT false;

ALTER TABLE attempts ADD COLUMN checkpoint_ms bigint NOT NULL DEFAULT 0
    CHECK (checkpoint_ms >= 0);

ALTER TABLE settlements ADD COLUMN payer text NOT NULL DEFAULT 'member'
    CHECK (payer IN ('member', 'lab', 'checkpoint', 'nobody'));

ALTER TABLE accounts DROP CONSTRAINT accounts_kind_check;
ALTER TABLE accounts ADD CONSTRAINT accounts_kind_check CHECK (kind IN ('lot', 'paid_in', 'external',
  'spent', 'overhead_start', 'overhead_node', 'overhead_overrun', 'overhead_other', 'lapsed',
  'inventory', 'overhead_lapsed', 'idle', 'rounding', 'disk', 'egress', 'variance', 'voucher',
  'unknown'));
ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check;
ALTER TABLE transfers ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw',
  'charge', 'overhead', 'lapse', 'reversal', 'refund', 'transfer', 'correct', 'purchase', 'payment',
  'rental', 'invoice', 'explain'));
ALTER TABLE transfers ADD COLUMN rental bigint;   -- of the lab's side of a provider's bill
ALTER TABLE transfers ADD COLUMN invoice bigint;

ALTER TABLE limits ADD COLUMN starts_at timestamptz;
ALTER TABLE limits ADD COLUMN notify_at integer[] NOT NULL DEFAULT '{}';
ALTER TABLE limits ADD COLUMN block_at integer NOT NULL DEFAULT 0 CHECK (block_at >= 0);
ALTER TABLE limits DROP CONSTRAINT limits_period_check;
ALTER TABLE limits ADD CONSTRAINT limits_period_check
    CHECK (period IN ('none', 'day', 'month', 'dated'));
ALTER TABLE limits ADD CONSTRAINT limits_dated
    CHECK ((period = 'dated') = (starts_at IS NOT NULL)
           AND (period <> 'dated' OR starts_at < until));

ALTER TABLE periods DROP CONSTRAINT periods_kind_check;
ALTER TABLE periods ADD CONSTRAINT periods_kind_check CHECK (kind IN ('day', 'month', 'night'));

ALTER TABLE usage ADD COLUMN project bigint NOT NULL DEFAULT 0;  -- 0: one level of fair share
ALTER TABLE usage DROP CONSTRAINT usage_pkey;
ALTER TABLE usage ADD PRIMARY KEY (member, project);
