DROP INDEX transfers_rental;
DROP TABLE rentals;
DROP TABLE billing;
