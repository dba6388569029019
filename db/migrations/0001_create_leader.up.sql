-- Who leads, and how far its batches have come (design.md 3). One row, moved by every batch.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'P0001';
END $$;

-- Raises; a statement calls it for each row that it had to leave alone.
CREATE FUNCTION refuse(what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', what USING ERRCODE = 'P0001';
END $$;

CREATE TABLE leader (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  holder     text NOT NULL DEFAULT '',
  address    text NOT NULL DEFAULT '',
  term       bigint NOT NULL DEFAULT 0 CHECK (term >= 0),
  batch      bigint NOT NULL DEFAULT 0 CHECK (batch >= 0),
  renewed_at timestamptz NOT NULL DEFAULT '-infinity',
  core_now   timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 10);  -- updated in every batch: room on the page keeps each update HOT
INSERT INTO leader DEFAULT VALUES;

-- Where each term took over: tells a leader that was replaced whether its last batch landed.
CREATE TABLE terms (
  term         bigint PRIMARY KEY,
  holder       text NOT NULL,
  address      text NOT NULL,
  batch_before bigint NOT NULL,
  began_at     timestamptz NOT NULL
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON terms
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- First statement of every batch. A leader that is none any more, or a batch that has landed
-- already, gets SQLSTATE PK001 and nothing of the batch is written.
CREATE FUNCTION move_batch(my_term bigint, number bigint, at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE leader SET batch = number, core_now = greatest(core_now, at),
                    renewed_at = clock_timestamp()
   WHERE only_row AND term = my_term AND batch = number - 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'batch % of term % has no place', number, my_term USING ERRCODE = 'PK001';
  END IF;
END $$;
