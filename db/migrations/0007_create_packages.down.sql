DROP FUNCTION package_cost(bigint, integer, integer);
DROP INDEX holds_package;
DROP TABLE portions;
DROP TABLE packages;
ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check;
ALTER TABLE transfers ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw',
  'charge', 'overhead', 'lapse', 'reversal', 'refund', 'transfer', 'correct'));
DROP INDEX accounts_one_of_a_kind;
CREATE UNIQUE INDEX accounts_one_of_a_kind ON accounts (kind, owner_kind, owner_id, asset)
  WHERE kind <> 'lot';
ALTER TABLE accounts DROP CONSTRAINT accounts_kind_check;
ALTER TABLE accounts ADD CONSTRAINT accounts_kind_check CHECK (kind IN ('lot', 'paid_in', 'external',
  'spent', 'overhead_start', 'overhead_node', 'overhead_overrun', 'overhead_other', 'lapsed'));
ALTER TABLE jobs DROP COLUMN source;
