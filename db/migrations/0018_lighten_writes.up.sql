-- What a batch of submits costs. The texts of a job lie in its own row: a table of their own was a
-- third of the write. Jobs that came together mostly refer to the same rows, so that many are judged
-- once for each set of them; for a few, telling them apart costs more than it saves. Old keys are
-- looked for a few times a day: their index may be coarse. Of an event's index its entity and number
-- in the batch tell little apart.

ALTER TABLE jobs ADD COLUMN name text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN comment text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN chdir text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN output text NOT NULL DEFAULT '';
UPDATE jobs j SET (name, comment, chdir, output) = (t.name, t.comment, t.chdir, t.output)
  FROM job_texts t
 WHERE t.job = j.id AND (t.name, t.comment, t.chdir, t.output) <> ('', '', '', '');
DROP TABLE job_texts;
DROP FUNCTION refers_job_texts();

CREATE OR REPLACE FUNCTION refers_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  IF EXISTS (SELECT FROM touched OFFSET 8) THEN
    SELECT min(t.id)::text INTO bad FROM touched t
     GROUP BY t.member, t.project, t.tier, t.payload
    HAVING (SELECT 1 FROM members r WHERE r.id = t.member) IS NULL
        OR (t.project IS NOT NULL AND (SELECT 1 FROM projects r WHERE r.id = t.project) IS NULL)
        OR (SELECT 1 FROM tiers r WHERE r.id = t.tier) IS NULL
        OR (SELECT 1 FROM payloads r WHERE r.hash = t.payload) IS NULL
     LIMIT 1;
  ELSE
    SELECT t.id::text INTO bad FROM touched t
     WHERE (SELECT 1 FROM members r WHERE r.id = t.member) IS NULL
        OR (t.project IS NOT NULL AND (SELECT 1 FROM projects r WHERE r.id = t.project) IS NULL)
        OR (SELECT 1 FROM tiers r WHERE r.id = t.tier) IS NULL
        OR (SELECT 1 FROM payloads r WHERE r.hash = t.payload) IS NULL
     LIMIT 1;
  END IF;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'jobs % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;

DROP INDEX requests_stale;
CREATE INDEX requests_at ON requests USING brin (at);
DROP INDEX events_entity;
CREATE INDEX events_id ON events (id, batch);

-- The rules of a job's row, judged by one function: PostgreSQL reads the text of every CHECK anew for
-- every statement, which for 22 of them took a third of the time of a single submit.
CREATE FUNCTION check_job(j jobs) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  broken text;
BEGIN
  broken := CASE
    WHEN least(j.id, j.units, j.task_count, j.time_limit_us) <= 0 THEN 'jobs_above_zero'
    WHEN least(j.gpus, j.cpus, j.memory, j.grace_us, j.retries, j.max_running, j.max_cost,
               j.max_rate, j.charged) < 0 THEN 'jobs_not_below_zero'
    WHEN j.class NOT IN ('scavenger', 'normal', 'debug') THEN 'jobs_class'
    WHEN j.source NOT IN ('any', 'owned', 'package', 'spot', 'on_demand', 'trial')
      THEN 'jobs_source'
    WHEN j.hold_reason NOT IN ('', 'HeldByUser', 'HeldByAdmin', 'InfraHoldMaxRequeue')
      THEN 'jobs_hold_reason'
    WHEN j.state NOT IN ('PENDING', 'HELD', 'STARTING', 'RUNNING', 'UNKNOWN', 'STOPPING',
                         'COMPLETED', 'FAILED', 'TIMEOUT', 'OUT_OF_MEMORY', 'CANCELLED',
                         'NODE_FAIL', 'PREEMPTED', 'DEADLINE', 'BUDGET') THEN 'jobs_state'
    WHEN cardinality(j.counts) <> 15 THEN 'jobs_counts'  -- by state, in that order
    WHEN (j.ended_at IS NULL) <> (j.state IN ('PENDING', 'HELD', 'STARTING', 'RUNNING', 'UNKNOWN',
                                              'STOPPING')) THEN 'jobs_ended'
    WHEN j.ended_at IS NOT NULL AND NOT (isempty(j.pending) AND isempty(j.held))
      THEN 'jobs_nothing_waits_at_the_end'
    WHEN j.pending && j.held OR j.pending && j.cancelled OR j.held && j.cancelled
      THEN 'jobs_ranges_disjoint'
    WHEN j.expired && j.pending OR j.expired && j.held OR j.expired && j.cancelled
      THEN 'jobs_expired_disjoint'
  END;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'job % breaks %', j.id, broken
      USING ERRCODE = 'check_violation', CONSTRAINT = broken;
  END IF;
  RETURN true;
END $$;
ALTER TABLE jobs
  DROP CONSTRAINT jobs_charged_check,
  DROP CONSTRAINT jobs_class_check,
  DROP CONSTRAINT jobs_counts_check,
  DROP CONSTRAINT jobs_cpus_check,
  DROP CONSTRAINT jobs_ended,
  DROP CONSTRAINT jobs_expired_disjoint,
  DROP CONSTRAINT jobs_gpus_check,
  DROP CONSTRAINT jobs_grace_us_check,
  DROP CONSTRAINT jobs_hold_reason_check,
  DROP CONSTRAINT jobs_id_check,
  DROP CONSTRAINT jobs_max_cost_check,
  DROP CONSTRAINT jobs_max_rate_check,
  DROP CONSTRAINT jobs_max_running_check,
  DROP CONSTRAINT jobs_memory_check,
  DROP CONSTRAINT jobs_nothing_waits_at_the_end,
  DROP CONSTRAINT jobs_ranges_disjoint,
  DROP CONSTRAINT jobs_retries_check,
  DROP CONSTRAINT jobs_source_check,
  DROP CONSTRAINT jobs_state_check,
  DROP CONSTRAINT jobs_task_count_check,
  DROP CONSTRAINT jobs_time_limit_us_check,
  DROP CONSTRAINT jobs_units_check,
  ADD CONSTRAINT jobs_rules CHECK (check_job(jobs));
