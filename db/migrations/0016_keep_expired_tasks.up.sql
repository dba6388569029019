-- Tasks without a row of their own that ended DEADLINE: ordinals, as those that were cancelled.
ALTER TABLE jobs ADD COLUMN expired int4multirange NOT NULL DEFAULT '{}';
ALTER TABLE jobs ADD CONSTRAINT jobs_expired_disjoint CHECK (NOT (expired && pending)
    AND NOT (expired && held) AND NOT (expired && cancelled));
