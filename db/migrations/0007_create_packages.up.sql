-- Packages: unit-hours bought together (semantics.md 8 and 9). The unit-time of one is an asset with
-- the package's own id; portions are lots of it; what the hours cost lies in the package's inventory.

ALTER TABLE jobs ADD COLUMN source text NOT NULL DEFAULT 'any'
  CHECK (source IN ('any', 'owned', 'package', 'spot', 'on_demand', 'trial'));

ALTER TABLE accounts DROP CONSTRAINT accounts_kind_check;
ALTER TABLE accounts ADD CONSTRAINT accounts_kind_check CHECK (kind IN ('lot', 'paid_in', 'external',
  'spent', 'overhead_start', 'overhead_node', 'overhead_overrun', 'overhead_other', 'lapsed',
  'inventory', 'overhead_lapsed'));
DROP INDEX accounts_one_of_a_kind;
CREATE UNIQUE INDEX accounts_one_of_a_kind ON accounts (kind, owner_kind, owner_id, asset)
  WHERE kind NOT IN ('lot', 'inventory');

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check;
ALTER TABLE transfers ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw',
  'charge', 'overhead', 'lapse', 'reversal', 'refund', 'transfer', 'correct', 'purchase'));

-- The terms of a purchase never change; used_ms, moved, lapsed and closed_at tell its course.
CREATE TABLE packages (
  id         bigint PRIMARY KEY CHECK (id > 1),  -- 1 is the currency's asset
  tier       bigint NOT NULL REFERENCES tiers,
  kind       text NOT NULL CHECK (kind IN ('hours', 'capacity')),
  provider   text NOT NULL,
  payer      bigint REFERENCES members,  -- none: from outside
  price      bigint NOT NULL CHECK (price > 0 AND price % 10000 = 0),
  total_ms   bigint NOT NULL CHECK (total_ms > 0),
  units      integer NOT NULL CHECK (units >= 0),
  bought_at  timestamptz NOT NULL,
  starts_at  timestamptz NOT NULL,
  ends_at    timestamptz NOT NULL,
  split      text NOT NULL CHECK (split IN ('equal', 'contribution', 'shares')),
  borrow     text NOT NULL CHECK (borrow IN ('none', 'limit', 'free')),
  borrow_ms  bigint NOT NULL CHECK (borrow_ms >= 0),
  lapse_to   text NOT NULL CHECK (lapse_to IN ('owner', 'overhead')),
  inventory  bigint NOT NULL UNIQUE REFERENCES accounts,
  used_ms    bigint NOT NULL,
  moved      bigint NOT NULL CHECK (moved >= 0),
  lapsed     bigint NOT NULL CHECK (lapsed >= 0),
  closed_at  timestamptz,
  CHECK (starts_at < ends_at),
  CHECK ((kind = 'capacity') = (units > 0)),
  CHECK ((borrow = 'limit') = (borrow_ms > 0)),
  CONSTRAINT packages_used_within_total CHECK (used_ms BETWEEN 0 AND total_ms),
  CONSTRAINT packages_cost_within_price CHECK (moved + lapsed <= price),
  CONSTRAINT packages_closed_is_empty CHECK (closed_at IS NULL OR moved + lapsed = price)
) WITH (fillfactor = 50);
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON packages
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE portions (
  package      bigint NOT NULL REFERENCES packages,
  member       bigint NOT NULL,  -- 0: the lab's, what nobody was given
  share        bigint NOT NULL CHECK (share >= 0),
  total_ms     bigint NOT NULL CHECK (total_ms >= 0),
  cost         bigint NOT NULL CHECK (cost >= 0 AND cost % 10000 = 0),
  lot          bigint NOT NULL UNIQUE REFERENCES lots,
  borrowed_ms  bigint NOT NULL CHECK (borrowed_ms >= 0),
  borrowing_ms bigint NOT NULL CHECK (borrowing_ms >= 0),
  lapsed_ms    bigint NOT NULL CHECK (lapsed_ms BETWEEN 0 AND total_ms),
  lapsed       bigint NOT NULL CHECK (lapsed >= 0),
  PRIMARY KEY (package, member)
) WITH (fillfactor = 50);
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON portions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX holds_package ON holds (asset) WHERE asset <> 1;

-- What the hours of an attempt on a package have cost so far.
CREATE FUNCTION package_cost(a_job bigint, a_index integer, a_number integer) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN t.kind = 'reversal' THEN -t.amount ELSE t.amount END), 0)::bigint
    FROM transfers t
   WHERE t.job = a_job AND t.index = a_index AND t.number = a_number AND t.asset = 1
     AND t.kind IN ('charge', 'reversal')
$$;
