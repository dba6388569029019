-- What machines cost beyond their up-time, whose money lies in a lot, when a bill counts, and hours of a
-- package that are given back.

-- A machine that is stopped and kept goes on under its rule's stopped rate, as a rental of its own; what
-- left a machine is billed by bytes.
ALTER TABLE rentals
  ADD COLUMN stopped boolean NOT NULL DEFAULT false,
  ADD COLUMN egress_bytes bigint NOT NULL DEFAULT 0 CHECK (egress_bytes >= 0),
  ADD COLUMN egress_cost bigint NOT NULL DEFAULT 0 CHECK (egress_cost >= 0);
ALTER TABLE rentals
  ALTER COLUMN stopped DROP DEFAULT,
  ALTER COLUMN egress_bytes DROP DEFAULT,
  ALTER COLUMN egress_cost DROP DEFAULT;

-- What a line covers of the egress that its rental has posted.
ALTER TABLE invoice_lines
  ADD COLUMN egress bigint NOT NULL DEFAULT 0,
  DROP CONSTRAINT invoice_lines_unknown_covers_nothing,
  ADD CONSTRAINT invoice_lines_unknown_covers_nothing CHECK (unknown = 0
    OR (charges, idle, rounding, disk, variance, egress) = (0, 0, 0, 0, 0, 0));
ALTER TABLE invoice_lines ALTER COLUMN egress DROP DEFAULT;
DROP TRIGGER keep_columns ON invoice_lines;
CREATE TRIGGER keep_columns BEFORE UPDATE OF invoice, n, kind, instance, text, starts_at, ends_at,
  amount, rental, charges, idle, rounding, disk, variance, egress ON invoice_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A bill counts at the end of its time where that month was open when it came, else at the start of the
-- first one that was: its entries stand there. Until now they stood at its import.
ALTER TABLE invoices ADD COLUMN booked_at timestamptz;
ALTER TABLE invoices DISABLE TRIGGER append_only;
UPDATE invoices SET booked_at = at;
ALTER TABLE invoices ENABLE TRIGGER append_only;
ALTER TABLE invoices ALTER COLUMN booked_at SET NOT NULL;

-- Who paid in what a lot holds, to whom a withdrawal goes back; none: the outside. Money that moved from
-- lot to lot took its payer along.
ALTER TABLE lots ADD COLUMN payer bigint REFERENCES members;
WITH RECURSIVE first AS (
  SELECT DISTINCT ON (l.id) l.id, t.kind, t.debit,
         CASE WHEN t.kind = 'transfer' THEN t.debit ELSE e.debit END AS before
    FROM lots l
    JOIN transfers t ON t.credit = l.account
    LEFT JOIN transfers e ON e.id = t.linked
   WHERE l.asset = 1
   ORDER BY l.id, t.id
), origin AS (
  SELECT f.id, CASE WHEN a.kind = 'paid_in' THEN a.owner_id END AS payer
    FROM first f JOIN accounts a ON a.id = f.debit
   WHERE f.kind = 'deposit'
   UNION ALL
  SELECT f.id, o.payer
    FROM origin o
    JOIN lots l ON l.id = o.id
    JOIN first f ON f.before = l.account
)
UPDATE lots SET payer = o.payer FROM origin o WHERE o.id = lots.id AND o.payer IS NOT NULL;

-- A refund of hours names the entry of the hours; what they had cost goes back beside them, in money,
-- and is not counted against that entry.
CREATE OR REPLACE FUNCTION amended(entry bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN t.debit = e.debit THEN t.amount::numeric ELSE -t.amount END), 0)
       - coalesce((SELECT sum(CASE WHEN c.debit = r.debit THEN c.amount::numeric ELSE -c.amount END)
                     FROM transfers r JOIN transfers c ON c.linked = r.id
                    WHERE r.linked = entry AND r.kind = 'refund'), 0)
    FROM transfers e JOIN transfers t ON t.linked = e.id AND t.asset = e.asset
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
     AND (SELECT 1 FROM transfers r
           WHERE r.id = t.linked
             AND (r.asset = t.asset OR (t.kind = 'refund' AND t.asset = 1 AND r.kind = 'charge')))
         IS NULL
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
