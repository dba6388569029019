-- Room that was freed for a job is promised to it until it starts.
ALTER TABLE jobs ADD COLUMN freed_at timestamptz;
