-- Refused by the constraint where such entries are in the books: nothing is taken out of them.
DROP TRIGGER linked ON transfers;
DROP FUNCTION check_linked();
DROP FUNCTION amended(bigint);
DROP INDEX transfers_linked;
ALTER TABLE transfers
  DROP CONSTRAINT transfers_founded,
  DROP CONSTRAINT transfers_linked,
  DROP CONSTRAINT transfers_kind_check,
  ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw', 'charge', 'overhead',
    'lapse', 'reversal')),
  DROP COLUMN linked;
