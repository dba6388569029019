-- The month's end (semantics.md 9): closed months, where members stood at them, and what they hand
-- each other.

ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check;
ALTER TABLE transfers ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw',
  'charge', 'overhead', 'lapse', 'reversal', 'refund', 'transfer', 'correct', 'purchase',
  'payment'));

-- A row says that the month is closed. Only its settling comes later.
CREATE TABLE months (
  start_at   timestamptz PRIMARY KEY,
  end_at     timestamptz NOT NULL UNIQUE,
  closed_at  timestamptz NOT NULL,
  forced     boolean NOT NULL,
  by         bigint REFERENCES members,  -- none: pinka
  settled_at timestamptz,
  spread     text NOT NULL CHECK (spread IN ('usage', 'equal', 'contribution')),
  settled_by bigint REFERENCES members,
  CHECK (start_at < end_at),
  CONSTRAINT months_closed_after_the_end CHECK (closed_at >= end_at),
  CONSTRAINT months_settled_after_the_close CHECK (settled_at >= closed_at)
);
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON months
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Nothing is ever dated in a closed month.
CREATE FUNCTION refuse_closed_month() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s at %s', t.id, t.at) INTO bad FROM touched t
   WHERE t.at < (SELECT max(end_at) FROM months)
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'transfer in a closed month: %', bad USING ERRCODE = 'P0001';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER open_month AFTER INSERT ON transfers
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION refuse_closed_month();

CREATE TABLE positions (
  month    timestamptz NOT NULL REFERENCES months,
  member   bigint NOT NULL REFERENCES members,
  paid     bigint NOT NULL,
  settled  bigint NOT NULL,
  spent    bigint NOT NULL,
  overhead bigint NOT NULL,
  lapsed   bigint NOT NULL,
  carried  bigint NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (month, member),
  CONSTRAINT positions_add_up
    CHECK (position = paid + settled - spent - overhead - lapsed - carried)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON positions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What members owe each other comes to nothing, month by month.
CREATE FUNCTION check_positions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bad text;
BEGIN
  SELECT format('%s: %s', p.month, sum(p.position)) INTO bad
    FROM positions p
   WHERE p.month IN (SELECT month FROM touched)
   GROUP BY p.month HAVING sum(p.position::numeric) <> 0
   LIMIT 1;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'positions do not come to nothing: %', bad USING ERRCODE = 'P0001';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER come_to_nothing AFTER INSERT ON positions
  REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION check_positions();

CREATE TABLE payments (
  id          bigint PRIMARY KEY CHECK (id > 0),
  month       timestamptz NOT NULL REFERENCES months,
  payer       bigint NOT NULL REFERENCES members,
  payee       bigint NOT NULL REFERENCES members,
  amount      bigint NOT NULL CHECK (amount > 0 AND amount % 10000 = 0),
  state       text NOT NULL CHECK (state IN ('proposed', 'paid')),
  proposed_at timestamptz NOT NULL,
  paid_at     timestamptz,
  ref         text NOT NULL,
  transfer    bigint UNIQUE,
  UNIQUE (month, payer, payee),
  CHECK (payer <> payee),
  CONSTRAINT payments_paid CHECK ((state = 'paid') = (paid_at IS NOT NULL)
    AND (state = 'paid') = (transfer IS NOT NULL) AND (state = 'paid') = (ref <> ''))
);
CREATE TRIGGER keep_rows BEFORE DELETE OR TRUNCATE ON payments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
