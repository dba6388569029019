DROP TABLE hardware_checks;
DROP TABLE hardware;
