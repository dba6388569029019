-- The lab, its people and its machines. Ids are given out by core; 0 is none.

CREATE TABLE lab (
  only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  run           text NOT NULL,
  name          text NOT NULL,
  currency      text NOT NULL,
  timezone      text NOT NULL,
  openness      text NOT NULL CHECK (openness IN ('closed', 'queue', 'open')),
  confirm_above bigint NOT NULL CHECK (confirm_above >= 0),
  half_life_h   integer NOT NULL CHECK (half_life_h BETWEEN 1 AND 2160),
  weight_fair   integer NOT NULL,
  weight_age    integer NOT NULL,
  weight_class  integer NOT NULL,
  weight_size   integer NOT NULL,
  max_array     integer NOT NULL CHECK (max_array > 0),
  next_id       bigint NOT NULL CHECK (next_id > 0),
  next_job      bigint NOT NULL CHECK (next_job > 0),
  next_transfer bigint NOT NULL CHECK (next_transfer > 0),
  usage_hour    timestamptz NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE members (
  id      bigint PRIMARY KEY CHECK (id > 0),
  name    text NOT NULL CHECK (name <> ''),
  share   bigint NOT NULL CHECK (share >= 0),
  admin   boolean NOT NULL,
  removed boolean NOT NULL
);
CREATE UNIQUE INDEX members_name ON members (name) WHERE NOT removed;

CREATE TABLE projects (
  id      bigint PRIMARY KEY CHECK (id > 0),
  name    text NOT NULL UNIQUE CHECK (name <> ''),
  members bigint[] NOT NULL
);

CREATE TABLE tiers (
  id               bigint PRIMARY KEY CHECK (id > 0),
  name             text NOT NULL UNIQUE CHECK (name <> ''),
  purpose          text NOT NULL,
  unit_gpus        integer NOT NULL CHECK (unit_gpus >= 0),
  unit_cpus        integer NOT NULL CHECK (unit_cpus >= 0),
  unit_memory      bigint NOT NULL CHECK (unit_memory >= 0),
  default_time_us  bigint NOT NULL CHECK (default_time_us > 0),
  max_time_us      bigint NOT NULL CHECK (max_time_us > 0),
  staging_limit_us bigint NOT NULL CHECK (staging_limit_us >= 0),
  fence_us         bigint NOT NULL CHECK (fence_us >= 0),
  absent           boolean NOT NULL,
  simulated_units  integer NOT NULL CHECK (simulated_units >= 0)
);

-- Insert only: a later rate takes over at its valid_from.
CREATE TABLE rates (
  tier       bigint NOT NULL REFERENCES tiers,
  source     text NOT NULL CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial')),
  valid_from timestamptz NOT NULL,
  rate       bigint NOT NULL CHECK (rate >= 0),
  PRIMARY KEY (tier, source, valid_from)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rates
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE periods (
  kind     text NOT NULL CHECK (kind IN ('day', 'month')),
  start_at timestamptz NOT NULL,
  end_at   timestamptz NOT NULL,
  PRIMARY KEY (kind, start_at),
  CHECK (start_at < end_at)
);
CREATE INDEX periods_end ON periods (end_at);

CREATE TABLE nodes (
  id           bigint PRIMARY KEY CHECK (id > 0),
  name         text NOT NULL CHECK (name <> ''),
  tier         bigint NOT NULL REFERENCES tiers,
  state        text NOT NULL CHECK (state IN ('JOINING', 'READY', 'DRAINING', 'DRAINED',
                   'UNREACHABLE', 'LOST', 'QUARANTINED', 'STOPPED')),
  reason       text NOT NULL,
  drain_wanted boolean NOT NULL,
  simulated    boolean NOT NULL,
  units        integer NOT NULL CHECK (units >= 0),
  cpus         integer NOT NULL CHECK (cpus >= 0),
  memory       bigint NOT NULL CHECK (memory >= 0),
  gpus         jsonb NOT NULL CHECK (jsonb_typeof(gpus) = 'array'),
  instance     text NOT NULL,
  incarnation  bigint NOT NULL CHECK (incarnation >= 0),
  boot_id      text NOT NULL,
  version      bigint NOT NULL CHECK (version >= 0),
  removed      boolean NOT NULL
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX nodes_name ON nodes (name) WHERE NOT removed;

-- Only the hash of a token is known: a member's, or an agent's, bound to one node name.
CREATE TABLE tokens (
  hash       text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),
  member     bigint REFERENCES members,
  node       text NOT NULL,
  tier       bigint REFERENCES tiers,
  created_at timestamptz NOT NULL,
  revoked    boolean NOT NULL,
  CHECK ((member IS NULL) = (node <> ''))
);
CREATE INDEX tokens_member ON tokens (member) WHERE NOT revoked;

-- How an owner is written: "alice", "project:vision", "lab".
CREATE FUNCTION owner_name(kind text, owner bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE kind WHEN 'member' THEN (SELECT name FROM members WHERE id = owner)
                   WHEN 'project' THEN 'project:' || (SELECT name FROM projects WHERE id = owner)
                   ELSE 'lab' END
$$;
