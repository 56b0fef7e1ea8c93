-- Databases and roles of the example, run once by psql when the PostgreSQL container makes its data directory.
-- `posthaste init` makes the outbox in database library; each handler's service has the inbox in its own.

CREATE ROLE posthaste_writer NOLOGIN;
CREATE ROLE posthaste_relay NOLOGIN;
CREATE ROLE posthaste_reader NOLOGIN;
CREATE ROLE posthaste_consumer NOLOGIN;

CREATE ROLE relay LOGIN REPLICATION PASSWORD 'relay' IN ROLE posthaste_relay;
CREATE ROLE lending LOGIN PASSWORD 'lending' IN ROLE posthaste_writer, posthaste_reader;
CREATE ROLE circulation LOGIN PASSWORD 'circulation' IN ROLE posthaste_consumer;
CREATE ROLE reporting LOGIN PASSWORD 'reporting' IN ROLE posthaste_consumer;

CREATE DATABASE library;
CREATE DATABASE circulation;
CREATE DATABASE reporting;

-- Each service makes its own tables, in a schema of its own.
GRANT CREATE ON DATABASE library TO lending;
GRANT CREATE ON DATABASE circulation TO circulation;
GRANT CREATE ON DATABASE reporting TO reporting;

\connect circulation
\i /posthaste/inbox/V001__inbox.sql

\connect reporting
\i /posthaste/inbox/V001__inbox.sql
