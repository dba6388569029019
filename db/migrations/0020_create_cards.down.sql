ALTER TABLE tiers DROP COLUMN advice_refuses;
DROP TABLE cards;
