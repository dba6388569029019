DROP TABLE requests;
DROP TABLE attempts;
DROP TABLE tasks;
DROP TABLE job_texts;
DROP TABLE jobs;
DROP TABLE payloads;
