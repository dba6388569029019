-- What a line of an open hold gave back early, when the time limit of running work was lowered. The
-- line itself is smaller by it since then.
CREATE TABLE hold_cuts (
  job    bigint NOT NULL,
  index  integer NOT NULL,
  number integer NOT NULL,
  n      integer NOT NULL,
  at     timestamptz NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  PRIMARY KEY (job, index, number, n, at),
  FOREIGN KEY (job, index, number, n) REFERENCES hold_lines
);
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON hold_cuts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
