-- What a job was submitted with, how often a task asked to run again, and which files of attempts lie
-- whole in the blob store.

ALTER TABLE jobs ADD COLUMN code text NOT NULL DEFAULT '' CHECK (code ~ '^([0-9a-f]{64})?$');
CREATE INDEX jobs_code ON jobs (code) WHERE code <> '';

ALTER TABLE tasks ADD COLUMN run_agains integer NOT NULL DEFAULT 0 CHECK (run_agains >= 0);

-- Rows go when nobody needs them any more (chores.sql); their blobs are swept after them.
CREATE TABLE file_sets (
  job        bigint NOT NULL,
  index      integer NOT NULL,
  number     integer NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('output', 'checkpoint')),
  generation bigint NOT NULL CHECK (generation >= 0),
  root       text NOT NULL CHECK (root ~ '^[0-9a-f]{64}$'),
  files      bigint NOT NULL CHECK (files >= 0),
  bytes      bigint NOT NULL CHECK (bytes >= 0),
  kept_at    timestamptz NOT NULL,
  PRIMARY KEY (job, index, number, kind, generation),
  FOREIGN KEY (job, index, number) REFERENCES attempts
);
