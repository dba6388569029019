DROP TABLE file_sets;
ALTER TABLE tasks DROP COLUMN run_agains;
ALTER TABLE jobs DROP COLUMN code;
