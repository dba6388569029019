-- What a batch writes of nodes' hardware: one statement a table, one array a column, in the columns'
-- order.

-- name: write_hardware
INSERT INTO hardware (node, check_id, verdict, finding, waits, accepted, demanded, answered)
SELECT node, check_id, verdict, finding, waits, accepted, demanded, answered
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[],
              $7::bigint[], $8::bigint[])
    AS r(node, check_id, verdict, finding, waits, accepted, demanded, answered)
    ON CONFLICT (node) DO UPDATE
   SET (check_id, verdict, finding, waits, accepted, demanded, answered)
     = (excluded.check_id, excluded.verdict, excluded.finding, excluded.waits, excluded.accepted,
        excluded.demanded, excluded.answered)
;

-- name: write_hardware_checks
INSERT INTO hardware_checks (node, check_id, at, verdict, why, cause, demand, evidence)
SELECT node, check_id, at, verdict, why, cause, demand, evidence
  FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[],
              $7::bigint[], $8::text[])
    AS r(node, check_id, at, verdict, why, cause, demand, evidence)
;
