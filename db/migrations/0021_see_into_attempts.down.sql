ALTER TABLE nodes DROP COLUMN unfit;
ALTER TABLE attempts DROP COLUMN uploaded_at;
ALTER TABLE attempts DROP COLUMN peak_memory;
