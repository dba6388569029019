CREATE OR REPLACE FUNCTION amended(entry bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN t.debit = e.debit THEN t.amount::numeric ELSE -t.amount END), 0)
       - coalesce((SELECT sum(CASE WHEN c.debit = r.debit THEN c.amount::numeric ELSE -c.amount END)
                     FROM transfers r JOIN transfers c ON c.linked = r.id
                    WHERE r.linked = entry AND r.kind = 'refund'), 0)
    FROM transfers e JOIN transfers t ON t.linked = e.id
   WHERE e.id = entry
$$;
CREATE OR REPLACE FUNCTION check_linked() RETURNS trigger LANGUAGE plpgsql AS $$
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
ALTER TABLE lots DROP COLUMN payer;
ALTER TABLE invoices DROP COLUMN booked_at;
DROP TRIGGER keep_columns ON invoice_lines;
ALTER TABLE invoice_lines
  DROP CONSTRAINT invoice_lines_unknown_covers_nothing,
  DROP COLUMN egress,
  ADD CONSTRAINT invoice_lines_unknown_covers_nothing
    CHECK (unknown = 0 OR (charges, idle, rounding, disk, variance) = (0, 0, 0, 0, 0));
CREATE TRIGGER keep_columns BEFORE UPDATE OF invoice, n, kind, instance, text, starts_at, ends_at,
  amount, rental, charges, idle, rounding, disk, variance ON invoice_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rentals DROP COLUMN stopped, DROP COLUMN egress_bytes, DROP COLUMN egress_cost;
