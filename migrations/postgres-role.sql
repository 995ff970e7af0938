-- A role for servers on PostgreSQL that can append events and never change or remove one, whatever the program does.
-- The tables belong to another role: run `mago migrate up` as that one, then, as that one or an administrator,
--
--   CREATE ROLE mago_server LOGIN PASSWORD '…';
--
-- and this file (psql -f), and start the servers as mago_server with --migrate=false. It may be run again; later tables are covered.

GRANT USAGE ON SCHEMA public TO mago_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO mago_server;
REVOKE UPDATE, DELETE, TRUNCATE ON events FROM mago_server;
REVOKE DELETE ON streams FROM mago_server;
REVOKE INSERT, UPDATE, DELETE ON event_epoch, schema_migrations FROM mago_server;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mago_server;
