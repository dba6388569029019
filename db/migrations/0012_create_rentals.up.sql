-- Providers' billing rules and the paid up-time of nodes (semantics.md 9).

-- Insert only: rentals opened from valid_from on go by it.
CREATE TABLE billing (
  tier          bigint NOT NULL REFERENCES tiers,
  source        text NOT NULL CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial')),
  valid_from    timestamptz NOT NULL,
  provider      text NOT NULL,
  rate          bigint NOT NULL CHECK (rate >= 0),
  stopped_rate  bigint NOT NULL CHECK (stopped_rate >= 0),
  minimum_us    bigint NOT NULL CHECK (minimum_us >= 0),
  block_us      bigint NOT NULL CHECK (block_us > 0),
  rounding      text NOT NULL CHECK (rounding IN ('half_away', 'up')),
  round_at      text NOT NULL CHECK (round_at IN ('segment', 'bill')),
  round_to      bigint NOT NULL CHECK (round_to > 0),
  cut_us        bigint NOT NULL CHECK (cut_us >= 0),
  cut_offset_us bigint NOT NULL,
  disk          bigint NOT NULL CHECK (disk >= 0),
  egress        bigint NOT NULL CHECK (egress >= 0),
  notice_us     bigint NOT NULL CHECK (notice_us >= 0),
  PRIMARY KEY (tier, source, valid_from)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON billing
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The rule is the one of the opening and stands. Up to posted_at the bill is explained to the
-- micro-unit; since_ is what attempts have posted after that.
CREATE TABLE rentals (
  id            bigint PRIMARY KEY CHECK (id > 0),
  node          bigint NOT NULL REFERENCES nodes,
  tier          bigint NOT NULL REFERENCES tiers,
  source        text NOT NULL CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial')),
  provider      text NOT NULL,
  instance      text NOT NULL,
  units         integer NOT NULL CHECK (units >= 0),
  rate          bigint NOT NULL CHECK (rate >= 0),
  stopped_rate  bigint NOT NULL CHECK (stopped_rate >= 0),
  minimum_us    bigint NOT NULL CHECK (minimum_us >= 0),
  block_us      bigint NOT NULL CHECK (block_us > 0),
  rounding      text NOT NULL CHECK (rounding IN ('half_away', 'up')),
  round_at      text NOT NULL CHECK (round_at IN ('segment', 'bill')),
  round_to      bigint NOT NULL CHECK (round_to > 0),
  cut_us        bigint NOT NULL CHECK (cut_us >= 0),
  cut_offset_us bigint NOT NULL,
  disk_rate     bigint NOT NULL CHECK (disk_rate >= 0),
  egress        bigint NOT NULL CHECK (egress >= 0),
  notice_us     bigint NOT NULL CHECK (notice_us >= 0),
  disk_gb       bigint NOT NULL CHECK (disk_gb >= 0),
  opened_at     timestamptz NOT NULL,
  closed_at     timestamptz,
  by_hand       boolean NOT NULL,
  posted_at     timestamptz,
  billed        bigint NOT NULL CHECK (billed >= 0),
  members       bigint NOT NULL,
  lab           bigint NOT NULL,
  idle          bigint NOT NULL,
  rounded       bigint NOT NULL,
  disk          bigint NOT NULL CHECK (disk >= 0),
  variance      bigint NOT NULL,
  used_ms       bigint NOT NULL,
  since_members bigint NOT NULL,
  since_lab     bigint NOT NULL,
  since_used_ms bigint NOT NULL,
  CONSTRAINT rentals_ends_after_its_start CHECK (closed_at >= opened_at AND posted_at >= opened_at),
  CONSTRAINT rentals_closed_is_posted
    CHECK (closed_at IS NULL OR posted_at IS NOT DISTINCT FROM closed_at),
  CONSTRAINT rentals_adds_up CHECK (billed = members + lab + idle + rounded + variance)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX rentals_one_open_a_node ON rentals (node) WHERE closed_at IS NULL;
CREATE INDEX rentals_node ON rentals (node, opened_at);
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON rentals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE INDEX transfers_rental ON transfers (rental) WHERE rental IS NOT NULL;
