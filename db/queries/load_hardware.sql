-- What core loads of nodes' hardware.

-- name: load_hardware
SELECT h.node, h.check_id, h.verdict, h.finding, h.waits, h.accepted, h.demanded, h.answered
  FROM hardware h
  JOIN nodes n ON n.id = h.node
 WHERE NOT n.removed
 ORDER BY h.node
;
