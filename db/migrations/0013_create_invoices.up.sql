-- Providers' bills (semantics.md 9), as they came, and what their lines cover of rentals.

CREATE TABLE invoices (
  id        bigint PRIMARY KEY CHECK (id > 0),
  provider  text NOT NULL CHECK (provider <> ''),
  ref       text NOT NULL CHECK (ref <> ''),
  starts_at timestamptz NOT NULL,
  ends_at   timestamptz NOT NULL,
  payer     bigint REFERENCES members,  -- none: from outside
  total     bigint NOT NULL,
  charges   bigint NOT NULL,
  at        timestamptz NOT NULL,
  by        bigint REFERENCES members,
  CHECK (starts_at <= ends_at)
);
CREATE UNIQUE INDEX invoices_once ON invoices (lower(provider), ref);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON invoices
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Of a line only what is unknown of it ever changes.
CREATE TABLE invoice_lines (
  invoice   bigint NOT NULL REFERENCES invoices,
  n         integer NOT NULL CHECK (n > 0),
  kind      text NOT NULL CHECK (kind IN ('compute', 'disk', 'egress', 'voucher', 'other')),
  instance  text NOT NULL,
  text      text NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at   timestamptz NOT NULL,
  amount    bigint NOT NULL,
  rental    bigint,  -- none: unknown, or of no machine
  unknown   bigint NOT NULL,
  charges   bigint NOT NULL,
  idle      bigint NOT NULL,
  rounding  bigint NOT NULL,
  disk      bigint NOT NULL,
  variance  bigint NOT NULL,
  PRIMARY KEY (invoice, n),
  CHECK (starts_at <= ends_at),
  CHECK (kind <> 'voucher' OR amount <= 0),
  CONSTRAINT invoice_lines_unknown_within_amount
    CHECK (unknown = 0 OR (sign(unknown) = sign(amount) AND abs(unknown) <= abs(amount))),
  CONSTRAINT invoice_lines_unknown_covers_nothing
    CHECK (unknown = 0 OR (charges, idle, rounding, disk, variance) = (0, 0, 0, 0, 0))
);
CREATE INDEX invoice_lines_unknown ON invoice_lines (invoice, n) WHERE unknown <> 0;
CREATE INDEX invoice_lines_rental ON invoice_lines (rental) WHERE rental IS NOT NULL;
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON invoice_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_columns BEFORE UPDATE OF invoice, n, kind, instance, text, starts_at, ends_at,
  amount, rental, charges, idle, rounding, disk, variance ON invoice_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE INDEX transfers_invoice ON transfers (invoice) WHERE invoice IS NOT NULL;
