DROP FUNCTION drop_event_partitions(timestamptz);
DROP FUNCTION make_event_partitions(timestamptz, timestamptz);
DROP TABLE events;
