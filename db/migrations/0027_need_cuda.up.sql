-- The CUDA that a job's driver must serve, and that a node's serves: 12.4 is 12040; 0: any, not known.
ALTER TABLE jobs ADD COLUMN need_cuda integer NOT NULL DEFAULT 0 CHECK (need_cuda >= 0);
ALTER TABLE nodes ADD COLUMN cuda integer NOT NULL DEFAULT 0 CHECK (cuda >= 0);
