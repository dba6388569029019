-- What people see of a node's hardware.

-- $1: the node's name. No row: no check was ever told or asked for.
-- name: hardware_of
SELECT h.node, h.check_id, h.verdict, h.finding, h.waits, h.accepted, h.demanded, h.answered
  FROM hardware h
  JOIN nodes n ON n.id = h.node
 WHERE n.name = $1::text AND NOT n.removed
;

-- $2: at most so many, newest first.
-- name: hardware_checks_of
SELECT c.node, c.check_id, c.at, c.verdict, c.why, c.cause, c.demand, c.evidence
  FROM hardware_checks c
  JOIN nodes n ON n.id = c.node
 WHERE n.name = $1::text AND NOT n.removed
 ORDER BY c.id DESC
 LIMIT $2::bigint
;
