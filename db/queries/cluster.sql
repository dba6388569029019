-- The database of a private cluster.

-- name: has_database
SELECT 1 FROM pg_database WHERE datname = 'pinka'

-- name: create_database
CREATE DATABASE pinka
