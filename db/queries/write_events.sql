-- Appended by a batch; numbered in the order core wrote them.

-- $1: the batch, $2: rows without batch and number.
-- name: write_events
INSERT INTO events (at, entity, id, what, detail, actor, batch, n)
SELECT at, entity, id, what, detail, actor, $1::bigint, ordinality::integer
  FROM unnest($2::events[]) WITH ORDINALITY
;
