ALTER TABLE transfers RESET (autovacuum_vacuum_insert_scale_factor,
                             autovacuum_vacuum_insert_threshold);
DROP INDEX transfers_credit;
DROP INDEX transfers_debit;
CREATE INDEX transfers_debit ON transfers (debit, id);
CREATE INDEX transfers_credit ON transfers (credit, id);
