-- Jobs, tasks, attempts. Rows change a few times in their life and then never again: the fill
-- factors leave room for that, and no index knows a column that changes before the end, so that
-- all changes but the last are HOT.
--
-- What a row of a busy table refers to is judged once a statement for all its new rows
-- (refers_<table>): foreign keys look each row up by themselves, 12 us a row and key, two thirds
-- of a batch. Rows that are referred to never go away (keep_rows) and one leader writes, so that
-- nothing is lost by it. Scalar subqueries go by the index whatever is estimated; a join would be
-- planned as a scan of all history.

CREATE TABLE payloads (
  hash  text PRIMARY KEY CHECK (hash <> ''),
  bytes bytea NOT NULL
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payloads
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE jobs (
  id            bigint PRIMARY KEY CHECK (id > 0),
  member        bigint NOT NULL,
  project       bigint,
  tier          bigint NOT NULL,
  units         integer NOT NULL CHECK (units > 0),
  gpus          integer NOT NULL CHECK (gpus >= 0),
  cpus          integer NOT NULL CHECK (cpus >= 0),
  memory        bigint NOT NULL CHECK (memory >= 0),
  time_limit_us bigint NOT NULL CHECK (time_limit_us > 0),
  grace_us      bigint NOT NULL CHECK (grace_us >= 0),
  class         text NOT NULL CHECK (class IN ('scavenger', 'normal', 'debug')),
  nice          integer NOT NULL,
  retries       integer NOT NULL CHECK (retries >= 0),
  no_requeue    boolean NOT NULL,
  requeue_exit  integer[] NOT NULL,
  payload       text NOT NULL,
  array_spec    text NOT NULL,
  task_count    integer NOT NULL CHECK (task_count > 0),
  max_running   integer NOT NULL CHECK (max_running >= 0),
  submitted_at  timestamptz NOT NULL,
  eligible_at   timestamptz NOT NULL,
  -- Ordinals of tasks without a row of their own.
  pending       int4multirange NOT NULL,
  held          int4multirange NOT NULL,
  cancelled     int4multirange NOT NULL,
  hold_reason   text NOT NULL CHECK (hold_reason IN ('', 'HeldByUser', 'HeldByAdmin',
                    'InfraHoldMaxRequeue')),
  state         text NOT NULL CHECK (state IN ('PENDING', 'HELD', 'STARTING', 'RUNNING',
                    'UNKNOWN', 'STOPPING', 'COMPLETED', 'FAILED', 'TIMEOUT', 'OUT_OF_MEMORY',
                    'CANCELLED', 'NODE_FAIL', 'PREEMPTED', 'DEADLINE', 'BUDGET')),
  ended_at      timestamptz,
  counts        integer[] NOT NULL CHECK (cardinality(counts) = 15),  -- by state, in that order
  CONSTRAINT jobs_ended CHECK ((ended_at IS NULL) = (state IN ('PENDING', 'HELD', 'STARTING',
      'RUNNING', 'UNKNOWN', 'STOPPING'))),
  CONSTRAINT jobs_ranges_disjoint CHECK (NOT (pending && held) AND NOT (pending && cancelled)
      AND NOT (held && cancelled)),
  CONSTRAINT jobs_nothing_waits_at_the_end CHECK (ended_at IS NULL
      OR (isempty(pending) AND isempty(held)))
) WITH (fillfactor = 70);
CREATE INDEX jobs_live ON jobs (id) WHERE ended_at IS NULL;
CREATE INDEX jobs_live_member ON jobs (member, id) WHERE ended_at IS NULL;
CREATE INDEX jobs_member ON jobs (member, id);
CREATE INDEX jobs_ended_at ON jobs (ended_at) WHERE ended_at IS NOT NULL;

CREATE FUNCTION refers_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT t.id::text INTO bad FROM touched t
   WHERE (SELECT 1 FROM members r WHERE r.id = t.member) IS NULL
      OR (t.project IS NOT NULL AND (SELECT 1 FROM projects r WHERE r.id = t.project) IS NULL)
      OR (SELECT 1 FROM tiers r WHERE r.id = t.tier) IS NULL
      OR (SELECT 1 FROM payloads r WHERE r.hash = t.payload) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'jobs % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON jobs
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_jobs();

-- Text that core passes through.
CREATE TABLE job_texts (
  job     bigint PRIMARY KEY,
  name    text NOT NULL,
  comment text NOT NULL,
  chdir   text NOT NULL,
  output  text NOT NULL
);

CREATE FUNCTION refers_job_texts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT t.job::text INTO bad FROM touched t
   WHERE (SELECT 1 FROM jobs r WHERE r.id = t.job) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'job_texts % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON job_texts
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_job_texts();

-- A task that has had an attempt, or an exception of its own. `index` is the array index.
CREATE TABLE tasks (
  job            bigint NOT NULL,
  index          integer NOT NULL CHECK (index >= 0),
  state          text NOT NULL CHECK (state IN ('PENDING', 'HELD', 'STARTING', 'RUNNING',
                     'UNKNOWN', 'STOPPING', 'COMPLETED', 'FAILED', 'TIMEOUT', 'OUT_OF_MEMORY',
                     'CANCELLED', 'NODE_FAIL', 'PREEMPTED', 'DEADLINE', 'BUDGET')),
  hold_reason    text NOT NULL CHECK (hold_reason IN ('', 'HeldByUser', 'HeldByAdmin',
                     'InfraHoldMaxRequeue')),
  attempts       integer NOT NULL CHECK (attempts >= 0),
  retries_used   integer NOT NULL CHECK (retries_used >= 0),
  infra_restarts integer NOT NULL CHECK (infra_restarts >= 0),
  exited         boolean NOT NULL,
  exit_code      integer NOT NULL,
  signal         integer NOT NULL,
  end_reason     text NOT NULL,
  ended_at       timestamptz,
  PRIMARY KEY (job, index),
  CONSTRAINT tasks_ended CHECK ((ended_at IS NULL) = (state IN ('PENDING', 'HELD', 'STARTING',
      'RUNNING', 'UNKNOWN', 'STOPPING'))),
  CONSTRAINT tasks_exit_known CHECK (exited OR (exit_code = 0 AND signal = 0))
) WITH (fillfactor = 70);

CREATE FUNCTION refers_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s_%s', t.job, t.index) INTO bad FROM touched t
   WHERE (SELECT 1 FROM jobs r WHERE r.id = t.job) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'tasks % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON tasks
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_tasks();

CREATE TABLE attempts (
  job           bigint NOT NULL,
  index         integer NOT NULL,
  number        integer NOT NULL CHECK (number > 0),
  node          bigint NOT NULL,
  member        bigint NOT NULL,
  project       bigint,
  tier          bigint NOT NULL,
  units         integer NOT NULL CHECK (units > 0),
  gpus          integer[] NOT NULL,  -- indices on the node
  state         text NOT NULL CHECK (state IN ('ORDERED', 'STARTING', 'RUNNING', 'UNKNOWN',
                    'STOPPING', 'ENDED')),
  want          text NOT NULL CHECK (want IN ('run', 'stop', 'forget')),
  stop_reason   text NOT NULL CHECK (stop_reason IN ('', 'CancelByUser', 'CancelByAdmin',
                    'NodeDrain', 'Budget', 'Preempt', 'Requeue')),
  source        text NOT NULL CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial')),
  rate          bigint NOT NULL CHECK (rate >= 0),  -- frozen
  weight        bigint NOT NULL CHECK (weight >= 0),
  time_limit_us bigint NOT NULL CHECK (time_limit_us > 0),
  grace_us      bigint NOT NULL CHECK (grace_us >= 0),
  ordered_at    timestamptz NOT NULL,
  started_at    timestamptz,
  ended_at      timestamptz,
  metered_ms    bigint NOT NULL CHECK (metered_ms >= 0),
  metered_at    timestamptz,
  overrun_ms    bigint NOT NULL,
  log_bytes     bigint NOT NULL CHECK (log_bytes >= 0),
  end_reason    text NOT NULL CHECK (end_reason IN ('', 'Exited', 'TimeLimit', 'OutOfMemory',
                    'CancelledByUser', 'CancelledByAdmin', 'RunAgain', 'Budget', 'IdleGuard',
                    'LaunchFailed', 'StagingFailed', 'HardwareWrong', 'HardwareLost', 'NodeLost',
                    'NodeRebooted', 'SupervisorLost', 'DiskFull', 'SpotReclaim', 'Preempted',
                    'NodeDrain', 'Withdrawn')),
  exited        boolean NOT NULL,
  exit_code     integer NOT NULL,
  signal        integer NOT NULL,
  message       text NOT NULL,
  forgotten     boolean NOT NULL,
  PRIMARY KEY (job, index, number),
  CONSTRAINT attempts_ended CHECK ((state = 'ENDED') = (ended_at IS NOT NULL)),
  CONSTRAINT attempts_end_has_a_reason CHECK ((state = 'ENDED') = (end_reason <> '')),
  CONSTRAINT attempts_running_has_started CHECK (state <> 'RUNNING' OR started_at IS NOT NULL),
  CONSTRAINT attempts_overrun_is_metered CHECK (overrun_ms BETWEEN 0 AND metered_ms),
  CONSTRAINT attempts_exit_known CHECK (exited OR (exit_code = 0 AND signal = 0)),
  CONSTRAINT attempts_forgotten_have_ended CHECK (NOT forgotten OR state = 'ENDED')
) WITH (fillfactor = 60);
-- Nothing runs twice.
CREATE UNIQUE INDEX attempts_one_live_per_task ON attempts (job, index) WHERE ended_at IS NULL;
CREATE INDEX attempts_on_node ON attempts (node) WHERE NOT forgotten;
CREATE INDEX attempts_ended_at ON attempts (ended_at) WHERE ended_at IS NOT NULL;

CREATE FUNCTION refers_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s_%s.%s', t.job, t.index, t.number) INTO bad FROM touched t
   WHERE (SELECT 1 FROM tasks r WHERE (r.job, r.index) = (t.job, t.index)) IS NULL
      OR (SELECT 1 FROM nodes r WHERE r.id = t.node) IS NULL
      OR (SELECT 1 FROM members r WHERE r.id = t.member) IS NULL
      OR (t.project IS NOT NULL AND (SELECT 1 FROM projects r WHERE r.id = t.project) IS NULL)
      OR (SELECT 1 FROM tiers r WHERE r.id = t.tier) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'attempts % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON attempts
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_attempts();

-- Idempotency keys with their first answer; those of money for ever (semantics.md 11).
CREATE TABLE requests (
  member    bigint NOT NULL,
  key       text NOT NULL,
  body_hash text NOT NULL,
  at        timestamptz NOT NULL,
  money     boolean NOT NULL,
  first     bigint NOT NULL,
  count     bigint NOT NULL,
  PRIMARY KEY (member, key)
);
CREATE INDEX requests_stale ON requests (at) WHERE NOT money;

-- Rows that others refer to stay: members leave, nodes and tiers are taken out, by a flag.
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON members
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON projects
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON tiers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON nodes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON jobs
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON tasks
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON attempts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
