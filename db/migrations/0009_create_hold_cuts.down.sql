DROP TABLE hold_cuts;
