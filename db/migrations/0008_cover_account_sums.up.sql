-- Statements sum what moved an account before a month, and read what moved it in the month: by time,
-- and from the index alone. The old indexes went by id, which nothing asked for.
DROP INDEX transfers_debit;
DROP INDEX transfers_credit;
CREATE INDEX transfers_debit ON transfers (debit, at) INCLUDE (amount);
CREATE INDEX transfers_credit ON transfers (credit, at) INCLUDE (amount);
-- Rows are only added: what is new must soon be known as visible to all, or the index is not enough.
ALTER TABLE transfers SET (autovacuum_vacuum_insert_scale_factor = 0,
                           autovacuum_vacuum_insert_threshold = 20000);
