DROP INDEX transfers_invoice;
DROP TABLE invoice_lines;
DROP TABLE invoices;
