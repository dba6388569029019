-- Thresholds of limits that were crossed, and who pays where the lab says otherwise than the table
-- of end reasons.

CREATE TABLE thresholds (
  limit_id bigint NOT NULL REFERENCES limits,
  member   bigint NOT NULL,  -- of an each limit: whose use; 0: of all
  percent  integer NOT NULL CHECK (percent > 0),
  start_at timestamptz NOT NULL,  -- of the period; the epoch: of none
  at       timestamptz NOT NULL,
  PRIMARY KEY (limit_id, member, percent, start_at)
);

CREATE TABLE payers (
  reason text PRIMARY KEY CHECK (reason IN ('CancelledByAdmin', 'LaunchFailed', 'StagingFailed',
                                            'HardwareWrong', 'HardwareLost', 'NodeLost',
                                            'NodeRebooted', 'SupervisorLost', 'DiskFull',
                                            'SpotReclaim', 'Preempted', 'NodeDrain')),
  payer  text NOT NULL CHECK (payer IN ('member', 'lab', 'checkpoint'))
);
