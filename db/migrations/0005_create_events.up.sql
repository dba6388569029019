-- What happened, for people. By month, so that old months are dropped whole (design.md 12).

CREATE TABLE events (
  batch  bigint NOT NULL,
  n      integer NOT NULL,
  at     timestamptz NOT NULL,
  entity text NOT NULL CHECK (entity <> ''),
  id     text NOT NULL,
  what   text NOT NULL,
  detail text NOT NULL,
  actor  bigint  -- none: pinka
) PARTITION BY RANGE (at);
-- (batch, n) is unique because a batch number is; an index to say so is a third of the write.
CREATE INDEX events_at ON events USING brin (at);
CREATE INDEX events_entity ON events (entity, id, batch, n);
CREATE TABLE events_default PARTITION OF events DEFAULT;

CREATE TRIGGER append_only BEFORE UPDATE ON events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Makes the partitions of the UTC months from `first` to `last` that are not there yet. A month
-- whose events already lie in the default partition stays there.
CREATE FUNCTION make_event_partitions(first timestamptz, last timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', first AT TIME ZONE 'UTC');
  low timestamptz;
  high timestamptz;
  made integer := 0;
BEGIN
  WHILE month <= last AT TIME ZONE 'UTC' LOOP
    low := month AT TIME ZONE 'UTC';
    high := (month + interval '1 month') AT TIME ZONE 'UTC';
    IF to_regclass(format('events_%s', to_char(month, 'YYYYMM'))) IS NULL
       AND NOT EXISTS (SELECT FROM events_default WHERE at >= low AND at < high) THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
                     'events_' || to_char(month, 'YYYYMM'), low, high);
      made := made + 1;
    END IF;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END $$;

-- Drops the months that ended before `cutoff`; what the default partition holds goes by row.
CREATE FUNCTION drop_event_partitions(cutoff timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  part text;
  month timestamp;
  dropped integer := 0;
BEGIN
  FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
               WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_[0-9]{6}$'
               ORDER BY 1 LOOP
    month := to_timestamp(right(part, 6), 'YYYYMM')::timestamp;
    IF (month + interval '1 month') AT TIME ZONE 'UTC' <= cutoff THEN
      EXECUTE format('DROP TABLE %I', part);
      dropped := dropped + 1;
    END IF;
  END LOOP;
  DELETE FROM events_default WHERE at < cutoff;
  RETURN dropped;
END $$;
