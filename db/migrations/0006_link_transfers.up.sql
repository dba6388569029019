-- Refunds, corrections and transfers between accounts. An entry that changes what an earlier one
-- posted names it: `linked`. The earlier one stays as it is.

ALTER TABLE transfers
  ADD COLUMN linked bigint,
  DROP CONSTRAINT transfers_kind_check,
  ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw', 'charge', 'overhead',
    'lapse', 'reversal', 'refund', 'transfer', 'correct')),
  ADD CONSTRAINT transfers_linked CHECK ((kind IN ('refund', 'correct')) = (linked IS NOT NULL)
    AND linked < id),
  ADD CONSTRAINT transfers_founded CHECK (kind NOT IN ('refund', 'transfer', 'correct')
    OR (reason <> '' AND request_id <> '' AND person IS NOT NULL));
CREATE INDEX transfers_linked ON transfers (linked) WHERE linked IS NOT NULL;

-- By how much later entries have changed one: what moves as it did is more of it, what moves back
-- is less. A correction of a refund changes the charge as well, the other way.
CREATE FUNCTION amended(entry bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN t.debit = e.debit THEN t.amount::numeric ELSE -t.amount END), 0)
       - coalesce((SELECT sum(CASE WHEN c.debit = r.debit THEN c.amount::numeric ELSE -c.amount END)
                     FROM transfers r JOIN transfers c ON c.linked = r.id
                    WHERE r.linked = entry AND r.kind = 'refund'), 0)
    FROM transfers e JOIN transfers t ON t.linked = e.id
   WHERE e.id = entry
$$;

-- An entry is changed within itself: never to below zero.
CREATE FUNCTION check_linked() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  IF NOT EXISTS (SELECT FROM touched WHERE linked IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  SELECT t.id::text INTO bad FROM touched t
   WHERE t.linked IS NOT NULL
     AND (SELECT 1 FROM transfers r WHERE r.id = t.linked AND r.asset = t.asset) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'transfers % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  SELECT format('%s: %s %s', e.id, e.amount, amended(e.id)) INTO bad
    FROM (SELECT t.linked AS id FROM touched t WHERE t.linked IS NOT NULL
           UNION
          SELECT r.linked FROM touched t JOIN transfers r ON r.id = t.linked
           WHERE r.linked IS NOT NULL) n
    JOIN transfers e ON e.id = n.id
   WHERE e.amount + amended(e.id) < 0
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'more is given back than there is of transfer %', bad USING ERRCODE = 'P0001';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER linked AFTER INSERT ON transfers
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION check_linked();
