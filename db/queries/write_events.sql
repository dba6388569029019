-- Appended by a batch; numbered in the order core wrote them.

-- $1: the batch. The arrays: at, entity, id, what, detail, actor.
-- name: write_events
INSERT INTO events (batch, n, at, entity, id, what, detail, actor)
SELECT $1::bigint, r.n::integer, r.at, r.entity, r.id, r.what, r.detail, r.actor
  FROM unnest($2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
       WITH ORDINALITY AS r(at, entity, id, what, detail, actor, n)
;
