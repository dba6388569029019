DROP TABLE payers;
DROP TABLE thresholds;
