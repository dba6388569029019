ALTER TABLE tiers DROP COLUMN on_demand_after;
UPDATE attempts SET stop_reason = 'NodeDrain' WHERE stop_reason = 'Reclaim';
ALTER TABLE attempts
  DROP CONSTRAINT attempts_stop_reason_check,
  ADD CONSTRAINT attempts_stop_reason_check CHECK (stop_reason IN ('', 'CancelByUser',
      'CancelByAdmin', 'NodeDrain', 'Budget', 'Preempt', 'Requeue'));
