DROP FUNCTION owner_name(text, bigint);
DROP TABLE tokens;
DROP TABLE nodes;
DROP TABLE periods;
DROP TABLE rates;
DROP TABLE tiers;
DROP TABLE projects;
DROP TABLE members;
DROP TABLE lab;
