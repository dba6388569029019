-- What an attempt took of its box, when the box had nothing more of it, and why a box is unfit.

ALTER TABLE attempts ADD COLUMN peak_memory bigint NOT NULL DEFAULT 0 CHECK (peak_memory >= 0);
ALTER TABLE attempts ADD COLUMN uploaded_at timestamptz;
ALTER TABLE attempts ADD CONSTRAINT attempts_uploaded
    CHECK (uploaded_at IS NULL OR (forgotten AND uploaded_at >= ended_at));

ALTER TABLE nodes ADD COLUMN unfit text NOT NULL DEFAULT '';
