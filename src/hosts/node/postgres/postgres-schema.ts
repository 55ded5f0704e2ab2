// The tables of mirrors in PostgreSQL, as numbered forward-only migrations. Released migrations never change.
// Every row belongs to a book and to the commit that wrote it last (`txn`). Row-level security restricts a
// transaction to the book in the setting `daybook.book`, even for users who could bypass it: see `enterSql` in
// postgres-truth.ts.
// Invariant: a database that newer code migrated is refused, never changed.
import { DaybookError } from '../../../core/errors.ts'
import type { Postgres } from './connect-postgres.ts'
import { withPostgresFaults } from './postgres-fault.ts'

/** The role that replaces a user whom row-level security doesn't bind. */
export const mirrorRole = 'daybook_mirror'

/**
 * Tables of the first migration. Never change this list or the texts below: released migrations contain them.
 */
const bookTables = [
  'book',
  'records',
  'history',
  'conflicts',
  'applied_requests',
  'devices',
  'results',
  'tasks',
  'gone',
]

/** Row-level security of a table: a transaction sees the rows of its book only. */
const separate = (table: string) => `
  ALTER TABLE daybook.${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE daybook.${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY own_book ON daybook.${table}
    USING (book = current_setting('daybook.book', true)) WITH CHECK (book = current_setting('daybook.book', true));`

/** Grants `mirrorRole` access to tables of later migrations, if the user of the migration needs that role. */
const opened = (...tables: readonly string[]) => `
  DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)) THEN
      GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.map((table) => `daybook.${table}`).join(', ')} TO ${mirrorRole};
    END IF;
  END $$;`

/**
 * Gives `mirrorRole` what it lacks: another user, who didn't need the role, may have made the schema or some tables. Runs
 * at each start.
 */
const completeMirrorRole = `
  DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)) THEN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${mirrorRole}') THEN
        BEGIN CREATE ROLE ${mirrorRole} NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END;
      END IF;
      IF NOT pg_has_role(current_user, '${mirrorRole}', 'MEMBER') THEN
        EXECUTE format('GRANT ${mirrorRole} TO %I', current_user);
      END IF;
      IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'daybook'::regnamespace AND relkind = 'r'
        AND relname <> 'schema_version' AND NOT has_table_privilege('${mirrorRole}', oid, 'INSERT')) THEN
        GRANT USAGE ON SCHEMA daybook TO ${mirrorRole};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA daybook TO ${mirrorRole};
        REVOKE ALL ON daybook.schema_version FROM ${mirrorRole};
      END IF;
    END IF;
  END $$;`

/** Columns of every row: its book, and the commit that wrote it last. */
const owned = 'book text NOT NULL REFERENCES daybook.books ON DELETE CASCADE, txn bigint NOT NULL'

/**
 * Step n brings the database from version n to n + 1. A new table that followers copy needs `owned`, an index
 * `NAME_txn`, `separate`, `opened` and its entry in store/mirror/relation.ts; any other table `separate` and `opened`.
 * Columns: see RecordRow in store/schema/record-row.ts
 * and store/mirror/relation.ts. In the SQL comments, followers are server processes with a copy of the book.
 * `passing` 1: a version kept only because a pending change of a device is based on it. A mirror has no such
 * versions: always 0.
 */
export const postgresMigrations: readonly string[] = [
  `
  -- One row for each book: whose lock makes its commits serial. \`txn\` counts them; followers that stopped before
  -- \`gone_from\` can't be told what is gone since, and begin anew.
  CREATE TABLE daybook.books (
    book text PRIMARY KEY, epoch text NOT NULL, device text NOT NULL, txn bigint NOT NULL DEFAULT 0,
    gone_from bigint NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT now(), tidied_at timestamptz);
  CREATE TABLE daybook.book (${owned}, key text NOT NULL, value text NOT NULL, PRIMARY KEY (book, key));
  CREATE TABLE daybook.records (
    ${owned}, seq bigint NOT NULL, id text NOT NULL, kind text NOT NULL, agent text NOT NULL,
    session text, resource text, created_at text NOT NULL, updated_at text NOT NULL, stamp text NOT NULL,
    ver bigint NOT NULL, place bigint NOT NULL, device text, rev bigint NOT NULL, deleted smallint NOT NULL,
    body json NOT NULL, PRIMARY KEY (book, seq));
  CREATE UNIQUE INDEX records_id ON daybook.records (book, id);
  CREATE TABLE daybook.history (
    ${owned}, seq bigint NOT NULL, version bigint NOT NULL, at text NOT NULL, agent text NOT NULL, op text NOT NULL,
    body json NOT NULL, session text, resource text, PRIMARY KEY (book, seq, version));
  CREATE TABLE daybook.conflicts (
    ${owned}, id bigint NOT NULL, record text NOT NULL, kind text NOT NULL, policy text NOT NULL, at text NOT NULL,
    state text NOT NULL, lost_by text NOT NULL, lost_op text NOT NULL, lost_body json, kept_by text, kept_op text,
    kept_body json, base_body json, paths json, PRIMARY KEY (book, id));
  CREATE TABLE daybook.applied_requests (
    ${owned}, request text NOT NULL, capability text NOT NULL, input text NOT NULL, result text NOT NULL,
    at text NOT NULL, PRIMARY KEY (book, request));
  CREATE TABLE daybook.devices (
    ${owned}, device text NOT NULL, last_mid bigint NOT NULL, seen_at text NOT NULL, cursor bigint NOT NULL,
    PRIMARY KEY (book, device));
  CREATE TABLE daybook.results (
    ${owned}, device text NOT NULL, mid bigint NOT NULL, hash text NOT NULL, result text NOT NULL,
    PRIMARY KEY (book, device, mid));
  CREATE TABLE daybook.tasks (
    ${owned}, n bigint NOT NULL, id text NOT NULL, capability text NOT NULL, input text NOT NULL, scope text NOT NULL,
    state text NOT NULL, attempts bigint NOT NULL, max_attempts bigint NOT NULL, created_at text NOT NULL,
    updated_at text NOT NULL, due_at text NOT NULL, owner text, lease_until text, result text, error_code text,
    error_message text, PRIMARY KEY (book, n));
  -- Keys of rows that are gone, for followers.
  CREATE TABLE daybook.gone (${owned}, relation text NOT NULL, key text NOT NULL, PRIMARY KEY (book, relation, key));
  ${bookTables.map((table) => `CREATE INDEX ${table}_txn ON daybook.${table} (book, txn);`).join('\n')}
  ${['books', ...bookTables].map(separate).join('\n')}
  -- Whoever may pass by row-level security acts as a role that may not.
  DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)) THEN
      BEGIN CREATE ROLE ${mirrorRole} NOLOGIN;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END;
      EXECUTE format('GRANT ${mirrorRole} TO %I', current_user);
      GRANT USAGE ON SCHEMA daybook TO ${mirrorRole};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA daybook TO ${mirrorRole};
      REVOKE ALL ON daybook.schema_version FROM ${mirrorRole};
    END IF;
  END $$;
  `,
  `
  -- How sensitive a record is, and which key seals its body; no key is ever here.
  ALTER TABLE daybook.records ADD COLUMN sensitivity text, ADD COLUMN kid text;
  ALTER TABLE daybook.history ADD COLUMN sensitivity text;
  `,
  `
  -- What each caller has left of its rate, and tickets to lines; both by hashes. A crash of the server may empty them.
  CREATE UNLOGGED TABLE daybook.rates (
    book text NOT NULL REFERENCES daybook.books ON DELETE CASCADE, caller text NOT NULL, left_over double precision NOT NULL,
    taken double precision NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (book, caller));
  CREATE UNLOGGED TABLE daybook.tickets (
    book text NOT NULL REFERENCES daybook.books ON DELETE CASCADE, ticket text NOT NULL, listener json NOT NULL,
    until timestamptz NOT NULL, PRIMARY KEY (book, ticket));
  ${['rates', 'tickets'].map(separate).join('\n')}
  ${opened('rates', 'tickets')}
  `,
  `
  -- Who called what of a book, and what came of it.
  CREATE TABLE daybook.audit (
    ${owned}, n bigint NOT NULL, at text NOT NULL, caller text NOT NULL, "by" text NOT NULL, id text,
    capability text NOT NULL, outcome text NOT NULL, kinds text NOT NULL, count bigint NOT NULL, purpose text,
    receipt text, PRIMARY KEY (book, n));
  CREATE INDEX audit_txn ON daybook.audit (book, txn);
  ${separate('audit')}
  ${opened('audit')}
  `,
  `
  -- Books that their owners have erased, by name. The row outlives the book, and the one that was begun anew under its name.
  CREATE TABLE daybook.erased (
    book text PRIMARY KEY, epoch text, erased_at text NOT NULL, is_begun_anew boolean NOT NULL DEFAULT false);
  ${separate('erased')}
  ${opened('erased')}
  `,
  `
  -- A version that is kept for a waiting change alone, which a mirror has none of.
  ALTER TABLE daybook.history ADD COLUMN passing smallint NOT NULL DEFAULT 0;
  `,
  `
  -- Requests that agents sign: nonces that must not come again yet, and what each caller has left, by its hash. A crash of
  -- the server may empty the buckets, not the nonces.
  CREATE TABLE daybook.agent_nonces (
    book text NOT NULL REFERENCES daybook.books ON DELETE CASCADE, agent text NOT NULL, nonce text NOT NULL,
    until timestamptz NOT NULL, PRIMARY KEY (book, agent, nonce));
  CREATE INDEX agent_nonces_until ON daybook.agent_nonces (book, until);
  CREATE UNLOGGED TABLE daybook.agent_buckets (
    book text NOT NULL REFERENCES daybook.books ON DELETE CASCADE, caller text NOT NULL, bucket text NOT NULL,
    left_over double precision NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (book, caller, bucket));
  ${['agent_nonces', 'agent_buckets'].map(separate).join('\n')}
  ${opened('agent_nonces', 'agent_buckets')}
  `,
  `
  -- The meeting room of a book while somebody is in it.
  CREATE TABLE daybook.meeting (
    ${owned}, n bigint NOT NULL, stamp text NOT NULL, state text NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (book, n));
  CREATE INDEX meeting_txn ON daybook.meeting (book, txn);
  ${separate('meeting')}
  ${opened('meeting')}
  `,
  `
  -- The version in which a record was last forgotten, and last purged.
  ALTER TABLE daybook.records ADD COLUMN gone bigint NOT NULL DEFAULT 0, ADD COLUMN purged bigint NOT NULL DEFAULT 0;
  `,
  `
  -- Names before the first release: the sides of a conflict, the remaining rate, a book that was started again.
  ALTER TABLE daybook.conflicts RENAME COLUMN lost_by TO loser_by;
  ALTER TABLE daybook.conflicts RENAME COLUMN lost_op TO loser_op;
  ALTER TABLE daybook.conflicts RENAME COLUMN lost_body TO loser_body;
  ALTER TABLE daybook.conflicts RENAME COLUMN kept_by TO winner_by;
  ALTER TABLE daybook.conflicts RENAME COLUMN kept_op TO winner_op;
  ALTER TABLE daybook.conflicts RENAME COLUMN kept_body TO winner_body;
  ALTER TABLE daybook.rates RENAME COLUMN left_over TO remaining;
  ALTER TABLE daybook.agent_buckets RENAME COLUMN left_over TO remaining;
  ALTER TABLE daybook.erased RENAME COLUMN is_begun_anew TO is_restarted;
  `,
  `
  -- Scope, sensitivity and creation time of each side of a conflict.
  ALTER TABLE daybook.conflicts ADD COLUMN loser_head json, ADD COLUMN winner_head json;
  `,
  `
  -- How far the text of a record may be believed.
  ALTER TABLE daybook.records ADD COLUMN trust text;
  ALTER TABLE daybook.history ADD COLUMN trust text;
  `,
]

/**
 * Advisory lock of migrations: any number, never changed, so that processes of all versions take the same
 * lock.
 */
const lockName = '28266384118935403'

/** Migrates forward, one process at a time; throws `book-newer` if the database has a newer schema. */
export function migratePostgres(
  postgres: Postgres,
  steps: readonly string[] = postgresMigrations,
): Promise<void> {
  return withPostgresFaults(() =>
    postgres.begin(`SELECT pg_advisory_xact_lock(${lockName})`, async (sql) => {
      // Check first: a user without the right to create a schema may still use the tables.
      const [schema] = await sql.rows<{ exists: boolean }>(
        "SELECT to_regclass('daybook.schema_version') IS NOT NULL AS exists",
      )
      if (!schema?.exists) {
        await sql.rows(`CREATE SCHEMA IF NOT EXISTS daybook;
          CREATE TABLE daybook.schema_version (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`)
      }
      const [row] = await sql.rows<{ version: number | null }>(
        'SELECT max(version) AS version FROM daybook.schema_version',
      )
      const found = row?.version ?? 0
      if (found > steps.length) {
        throw new DaybookError(
          'book-newer',
          `The database has schema ${found}, this Daybook supports ${steps.length}: install a newer version.`,
          { details: { found, supported: steps.length } },
        )
      }
      for (let version = found; version < steps.length; version++) {
        await sql.rows(steps[version] ?? '')
        await sql.rows('INSERT INTO daybook.schema_version (version) VALUES ($1)', [version + 1])
      }
      await sql.rows(completeMirrorRole)
    }),
  )
}
