-- What nodes' hardware was found to be. Cards that take no work carry their fault in nodes.gpus.

CREATE TABLE hardware (
  node     bigint PRIMARY KEY REFERENCES nodes,
  check_id text NOT NULL,  -- of the newest that its agent has told; '': none
  verdict  text NOT NULL CHECK (verdict IN ('', 'OK', 'MISMATCH', 'UNUSABLE')),
  finding  text NOT NULL,  -- why it is in quarantine; '': it is not
  waits    boolean NOT NULL CHECK (NOT waits OR finding <> ''),
  accepted text NOT NULL,  -- a finding that an admin let pass
  demanded bigint NOT NULL CHECK (demanded >= 0),
  answered bigint NOT NULL CHECK (answered BETWEEN 0 AND demanded),
  CHECK ((check_id = '') = (verdict = ''))
);

-- The evidence, kept.
CREATE TABLE hardware_checks (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node     bigint NOT NULL REFERENCES nodes,
  check_id text NOT NULL CHECK (check_id <> ''),
  at       timestamptz NOT NULL,
  verdict  text NOT NULL CHECK (verdict IN ('OK', 'MISMATCH', 'UNUSABLE')),
  why      text NOT NULL,
  cause    text NOT NULL CHECK (cause IN ('join', 'demand', 'random', 'return')),
  demand   bigint NOT NULL CHECK (demand >= 0),
  evidence text NOT NULL
);
CREATE INDEX hardware_checks_node ON hardware_checks (node, id DESC);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hardware_checks
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
