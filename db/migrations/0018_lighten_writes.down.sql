ALTER TABLE jobs
  DROP CONSTRAINT jobs_rules,
  ADD CONSTRAINT jobs_charged_check CHECK (charged >= 0),
  ADD CONSTRAINT jobs_class_check CHECK (class IN ('scavenger', 'normal', 'debug')),
  ADD CONSTRAINT jobs_counts_check CHECK (cardinality(counts) = 15),
  ADD CONSTRAINT jobs_cpus_check CHECK (cpus >= 0),
  ADD CONSTRAINT jobs_ended CHECK ((ended_at IS NULL) = (state IN ('PENDING', 'HELD',
      'STARTING', 'RUNNING', 'UNKNOWN', 'STOPPING'))),
  ADD CONSTRAINT jobs_expired_disjoint CHECK ((NOT (expired && pending)) AND (NOT (expired &&
      held)) AND (NOT (expired && cancelled))),
  ADD CONSTRAINT jobs_gpus_check CHECK (gpus >= 0),
  ADD CONSTRAINT jobs_grace_us_check CHECK (grace_us >= 0),
  ADD CONSTRAINT jobs_hold_reason_check CHECK (hold_reason IN ('', 'HeldByUser', 'HeldByAdmin',
      'InfraHoldMaxRequeue')),
  ADD CONSTRAINT jobs_id_check CHECK (id > 0),
  ADD CONSTRAINT jobs_max_cost_check CHECK (max_cost >= 0),
  ADD CONSTRAINT jobs_max_rate_check CHECK (max_rate >= 0),
  ADD CONSTRAINT jobs_max_running_check CHECK (max_running >= 0),
  ADD CONSTRAINT jobs_memory_check CHECK (memory >= 0),
  ADD CONSTRAINT jobs_nothing_waits_at_the_end CHECK ((ended_at IS NULL) OR (isempty(pending)
      AND isempty(held))),
  ADD CONSTRAINT jobs_ranges_disjoint CHECK ((NOT (pending && held)) AND (NOT (pending &&
      cancelled)) AND (NOT (held && cancelled))),
  ADD CONSTRAINT jobs_retries_check CHECK (retries >= 0),
  ADD CONSTRAINT jobs_source_check CHECK (source IN ('any', 'owned', 'package', 'spot',
      'on_demand', 'trial')),
  ADD CONSTRAINT jobs_state_check CHECK (state IN ('PENDING', 'HELD', 'STARTING', 'RUNNING',
      'UNKNOWN', 'STOPPING', 'COMPLETED', 'FAILED', 'TIMEOUT', 'OUT_OF_MEMORY', 'CANCELLED',
      'NODE_FAIL', 'PREEMPTED', 'DEADLINE', 'BUDGET')),
  ADD CONSTRAINT jobs_task_count_check CHECK (task_count > 0),
  ADD CONSTRAINT jobs_time_limit_us_check CHECK (time_limit_us > 0),
  ADD CONSTRAINT jobs_units_check CHECK (units > 0);
DROP FUNCTION check_job(jobs);

DROP INDEX events_id;
CREATE INDEX events_entity ON events (entity, id, batch, n);
DROP INDEX requests_at;
CREATE INDEX requests_stale ON requests (at) WHERE NOT money;

CREATE OR REPLACE FUNCTION refers_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TABLE job_texts (
  job     bigint PRIMARY KEY,
  name    text NOT NULL,
  comment text NOT NULL,
  chdir   text NOT NULL,
  output  text NOT NULL
);
INSERT INTO job_texts (job, name, comment, chdir, output)
SELECT id, name, comment, chdir, output FROM jobs;
ALTER TABLE jobs DROP COLUMN name;
ALTER TABLE jobs DROP COLUMN comment;
ALTER TABLE jobs DROP COLUMN chdir;
ALTER TABLE jobs DROP COLUMN output;

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
