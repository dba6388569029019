-- A reclaim that an admin plays, and after how many lost spot machines a task goes on-demand.
ALTER TABLE attempts
  DROP CONSTRAINT attempts_stop_reason_check,
  ADD CONSTRAINT attempts_stop_reason_check CHECK (stop_reason IN ('', 'CancelByUser',
      'CancelByAdmin', 'NodeDrain', 'Budget', 'Preempt', 'Requeue', 'Reclaim'));
ALTER TABLE tiers ADD COLUMN on_demand_after integer NOT NULL DEFAULT 0
  CHECK (on_demand_after >= 0);
