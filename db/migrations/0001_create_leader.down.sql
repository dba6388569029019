DROP FUNCTION move_batch(bigint, bigint, timestamptz);
DROP TABLE terms;
DROP TABLE leader;
DROP FUNCTION refuse(text);
DROP FUNCTION refuse_change();
