DROP TABLE payments;
DROP TABLE positions;
DROP FUNCTION check_positions();
DROP TRIGGER open_month ON transfers;
DROP FUNCTION refuse_closed_month();
DROP TABLE months;
ALTER TABLE transfers DROP CONSTRAINT transfers_kind_check;
ALTER TABLE transfers ADD CONSTRAINT transfers_kind_check CHECK (kind IN ('deposit', 'withdraw',
  'charge', 'overhead', 'lapse', 'reversal', 'refund', 'transfer', 'correct', 'purchase'));
