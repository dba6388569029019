-- The books (semantics.md 7 and 8). A transfer is one row with debit, credit and an amount above
-- zero, so it cannot be unbalanced. Amounts are in the asset's smallest unit.

CREATE TABLE assets (
  id      bigint PRIMARY KEY CHECK (id > 0),
  kind    text NOT NULL CHECK (kind IN ('currency', 'unit_time')),
  package text NOT NULL,
  CHECK ((kind = 'currency') = (package = ''))
);
INSERT INTO assets VALUES (1, 'currency', '');

CREATE TABLE accounts (
  id         bigint PRIMARY KEY CHECK (id > 0),
  kind       text NOT NULL CHECK (kind IN ('lot', 'paid_in', 'external', 'spent', 'overhead_start',
                 'overhead_node', 'overhead_overrun', 'overhead_other', 'lapsed')),
  owner_kind text NOT NULL CHECK (owner_kind IN ('lab', 'project', 'member')),
  owner_id   bigint NOT NULL,
  asset      bigint NOT NULL REFERENCES assets,
  CHECK ((owner_kind = 'lab') = (owner_id = 0))
);
CREATE INDEX accounts_owner ON accounts (owner_kind, owner_id);
CREATE UNIQUE INDEX accounts_one_of_a_kind ON accounts (kind, owner_kind, owner_id, asset)
  WHERE kind <> 'lot';

-- Hot: every batch that orders or ends work moves some. available = credited - posted - held +
-- credit_limit; move_lots judges it where a hold is made.
CREATE TABLE lots (
  id           bigint PRIMARY KEY CHECK (id > 0),
  account      bigint NOT NULL UNIQUE REFERENCES accounts,
  asset        bigint NOT NULL REFERENCES assets,
  owner_kind   text NOT NULL CHECK (owner_kind IN ('lab', 'project', 'member')),
  owner_id     bigint NOT NULL,
  tier         bigint REFERENCES tiers,
  starts_at    timestamptz NOT NULL,
  ends_at      timestamptz NOT NULL,
  credited     bigint NOT NULL,
  posted       bigint NOT NULL CONSTRAINT lots_posted_not_negative CHECK (posted >= 0),
  held         bigint NOT NULL CONSTRAINT lots_held_not_negative CHECK (held >= 0),
  credit_limit bigint NOT NULL CHECK (credit_limit >= 0),
  lapsed       boolean NOT NULL,
  CHECK ((owner_kind = 'lab') = (owner_id = 0)),
  CHECK (starts_at <= ends_at)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE holds (
  job       bigint NOT NULL,
  index     integer NOT NULL,
  number    integer NOT NULL,
  asset     bigint NOT NULL,
  amount    bigint NOT NULL CHECK (amount >= 0),
  posted    bigint NOT NULL CHECK (posted >= 0),
  state     text NOT NULL CHECK (state IN ('open', 'settled', 'voided')),
  at        timestamptz NOT NULL,
  closed_at timestamptz,
  reason    text NOT NULL,
  PRIMARY KEY (job, index, number),
  CONSTRAINT holds_charge_within_hold CHECK (posted <= amount),
  CONSTRAINT holds_closed CHECK ((state = 'open') = (closed_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX holds_open ON holds (job, index, number) WHERE closed_at IS NULL;

CREATE FUNCTION refers_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s_%s.%s', t.job, t.index, t.number) INTO bad FROM touched t
   WHERE (SELECT 1 FROM attempts r
                 WHERE (r.job, r.index, r.number) = (t.job, t.index, t.number)) IS NULL
      OR (SELECT 1 FROM assets r WHERE r.id = t.asset) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'holds % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON holds
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_holds();

CREATE TABLE hold_lines (
  job    bigint NOT NULL,
  index  integer NOT NULL,
  number integer NOT NULL,
  n      integer NOT NULL CHECK (n >= 0),
  lot    bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  posted bigint NOT NULL CHECK (posted >= 0),
  PRIMARY KEY (job, index, number, n),
  CONSTRAINT hold_lines_charge_within_line CHECK (posted <= amount)
) WITH (fillfactor = 70);
CREATE INDEX hold_lines_lot ON hold_lines (lot);

CREATE FUNCTION refers_hold_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s_%s.%s', t.job, t.index, t.number) INTO bad FROM touched t
   WHERE (SELECT 1 FROM holds r
                 WHERE (r.job, r.index, r.number) = (t.job, t.index, t.number)) IS NULL
      OR (SELECT 1 FROM lots r WHERE r.id = t.lot) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'hold_lines % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON hold_lines
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_hold_lines();

-- The lines of a hold are the whole hold. Judged once a statement for all holds it touched.
CREATE FUNCTION check_hold_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s_%s.%s: lines %s/%s, hold %s/%s', h.job, h.index, h.number, l.amount, l.posted,
                h.amount, h.posted) INTO bad
    FROM (SELECT DISTINCT job, index, number FROM touched) t
    CROSS JOIN LATERAL (SELECT x.* FROM holds x  -- OFFSET 0: by the index, whatever is estimated
                         WHERE (x.job, x.index, x.number) = (t.job, t.index, t.number) OFFSET 0) h
    CROSS JOIN LATERAL (SELECT sum(x.amount) AS amount, sum(x.posted) AS posted FROM hold_lines x
                         WHERE x.job = h.job AND x.index = h.index AND x.number = h.number) l
   WHERE (l.amount, l.posted) IS DISTINCT FROM (h.amount::numeric, h.posted::numeric)
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'hold lines do not add up: %', bad USING ERRCODE = 'P0001';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER lines_add_up_insert AFTER INSERT ON hold_lines
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION check_hold_lines();
CREATE TRIGGER lines_add_up_update AFTER UPDATE ON hold_lines
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION check_hold_lines();

-- At most once an attempt: the settle.
CREATE TABLE settlements (
  job        bigint NOT NULL,
  index      integer NOT NULL,
  number     integer NOT NULL,
  at         timestamptz NOT NULL,
  charged    bigint NOT NULL CHECK (charged >= 0),
  lab        bigint NOT NULL CHECK (lab >= 0),
  metered_ms bigint NOT NULL CHECK (metered_ms >= 0),
  hash       text NOT NULL,
  PRIMARY KEY (job, index, number)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settlements
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION refers_settlements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s_%s.%s', t.job, t.index, t.number) INTO bad FROM touched t
   WHERE (SELECT 1 FROM attempts r
                 WHERE (r.job, r.index, r.number) = (t.job, t.index, t.number)) IS NULL
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'settlements % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON settlements
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_settlements();

-- A settle charges at most what was held, and leaves its hold closed.
CREATE FUNCTION check_settlements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s_%s.%s: charged %s, hold %s %s', s.job, s.index, s.number, s.charged, h.amount,
                h.state) INTO bad
    FROM touched s
    LEFT JOIN LATERAL (SELECT x.amount, x.state FROM holds x
                        WHERE (x.job, x.index, x.number) = (s.job, s.index,
                              s.number) OFFSET 0) h ON true
   WHERE s.charged > coalesce(h.amount, 0) OR h.state = 'open'
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'settlement against its hold: %', bad USING ERRCODE = 'P0001';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER within_hold AFTER INSERT ON settlements
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION check_settlements();

CREATE TABLE transfers (
  id         bigint PRIMARY KEY CHECK (id > 0),
  at         timestamptz NOT NULL,
  asset      bigint NOT NULL,
  debit      bigint NOT NULL,
  credit     bigint NOT NULL,
  amount     bigint NOT NULL CHECK (amount > 0),
  kind       text NOT NULL CHECK (kind IN ('deposit', 'withdraw', 'charge', 'overhead', 'lapse',
                 'reversal')),
  reason     text NOT NULL,
  person     bigint,  -- none: pinka
  request_id text NOT NULL,
  member     bigint,
  project    bigint,
  job        bigint,                     -- none for money verbs
  index      integer,
  number     integer,
  tier       bigint,
  source     text NOT NULL CHECK (source IN ('owned', 'package', 'spot', 'on_demand', 'trial')),
  node       bigint,
  payer_kind text NOT NULL CHECK (payer_kind IN ('lab', 'project', 'member')),
  payer_id   bigint NOT NULL,
  unit_ms    bigint NOT NULL CHECK (unit_ms >= 0),
  CHECK (debit <> credit),
  CHECK ((payer_kind = 'lab') = (payer_id = 0)),
  CHECK (num_nulls(job, index, number) IN (0, 3)),
  CHECK (kind NOT IN ('charge', 'overhead') OR job IS NOT NULL)
);
CREATE INDEX transfers_job ON transfers (job, id) WHERE job IS NOT NULL;
CREATE INDEX transfers_member ON transfers (member, id) WHERE member IS NOT NULL;
CREATE INDEX transfers_debit ON transfers (debit, id);
CREATE INDEX transfers_credit ON transfers (credit, id);
CREATE INDEX transfers_at ON transfers (at);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION refers_transfers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT t.id::text INTO bad FROM touched t
   WHERE (SELECT 1 FROM assets r WHERE r.id = t.asset) IS NULL
      OR (SELECT 1 FROM accounts r WHERE r.id = t.debit AND r.asset = t.asset) IS NULL
      OR (SELECT 1 FROM accounts r WHERE r.id = t.credit AND r.asset = t.asset) IS NULL
      OR (t.person IS NOT NULL AND (SELECT 1 FROM members r WHERE r.id = t.person) IS NULL)
      OR (t.member IS NOT NULL AND (SELECT 1 FROM members r WHERE r.id = t.member) IS NULL)
      OR (t.project IS NOT NULL AND (SELECT 1 FROM projects r WHERE r.id = t.project) IS NULL)
      OR (t.job IS NOT NULL AND (SELECT 1 FROM attempts r
                 WHERE (r.job, r.index, r.number) = (t.job, t.index, t.number)) IS NULL)
      OR (t.tier IS NOT NULL AND (SELECT 1 FROM tiers r WHERE r.id = t.tier) IS NULL)
      OR (t.node IS NOT NULL AND (SELECT 1 FROM nodes r WHERE r.id = t.node) IS NULL)
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'transfers % refers to a row that is not there', bad
      USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refers AFTER INSERT ON transfers
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refers_transfers();

CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON lots
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON holds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON hold_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Ceilings. They hold no money.
CREATE TABLE limits (
  id         bigint PRIMARY KEY CHECK (id > 0),
  resource   text NOT NULL CHECK (resource IN ('money', 'running_units', 'queued_tasks',
                 'unit_hours')),
  applies_to text NOT NULL CHECK (applies_to IN ('each', 'all')),
  scope_kind text NOT NULL CHECK (scope_kind IN ('lab', 'project', 'member')),
  scope_id   bigint NOT NULL,
  member     bigint REFERENCES members,
  tier       bigint REFERENCES tiers,
  period     text NOT NULL CHECK (period IN ('none', 'day', 'month')),
  unlimited  boolean NOT NULL,
  amount     bigint NOT NULL CHECK (amount >= 0),
  until      timestamptz,
  absent     boolean NOT NULL,
  CHECK ((scope_kind = 'lab') = (scope_id = 0)),
  CHECK (member IS NULL OR scope_kind = 'project')
);

-- What was posted in a period, by member, project (0: none) and tier: the limits' counters.
CREATE TABLE spend (
  member   bigint NOT NULL,
  project  bigint NOT NULL,
  tier     bigint NOT NULL,
  period   text NOT NULL CHECK (period IN ('none', 'day', 'month')),
  start_at timestamptz NOT NULL,
  charged  bigint NOT NULL,
  unit_ms  bigint NOT NULL,
  PRIMARY KEY (period, start_at, member, project, tier)
) WITH (fillfactor = 50);

-- Fair-share use, weight x unit-milliseconds in Q16: beyond 64 bits.
CREATE TABLE usage (
  member bigint PRIMARY KEY REFERENCES members,
  amount numeric(39, 0) NOT NULL CHECK (amount >= 0)
) WITH (fillfactor = 50);
