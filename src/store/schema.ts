// The tables of a book, as forward-only numbered migrations. A migration that has been released never changes.
// Derived tables (facets, text_index) are rebuilt rather than migrated: clear them and set `derived_seq` to 0.
import { textFieldLimit } from '../core/kind.ts'

const textColumns = Array.from({ length: textFieldLimit }, (_, i) => `t${i}`).join(', ')

/** Step n brings a book from version n to n + 1. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE book (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- The records themselves. seq is local; ver and place (the mirror's sequence) are set by the mirror.
  CREATE TABLE records (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    agent TEXT NOT NULL, session TEXT, resource TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, stamp TEXT NOT NULL,
    ver INTEGER NOT NULL DEFAULT 0, place INTEGER NOT NULL DEFAULT 0, device TEXT,
    op INTEGER, rev INTEGER NOT NULL DEFAULT 1, deleted INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL);
  CREATE INDEX records_place ON records (place) WHERE place > 0;

  -- Changes that the mirror has not acknowledged, in order. A record's newest is named in records.op.
  -- mid and wire are set when an op is first sent; from then on its bytes stay. refused says why one can't be sent.
  CREATE TABLE ops (
    n INTEGER PRIMARY KEY, seq INTEGER NOT NULL, base INTEGER NOT NULL, mid INTEGER, wire TEXT, refused TEXT);
  CREATE UNIQUE INDEX ops_mid ON ops (mid) WHERE mid IS NOT NULL;
  CREATE TABLE history (
    seq INTEGER NOT NULL, version INTEGER NOT NULL, at TEXT NOT NULL, agent TEXT NOT NULL,
    op TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (seq, version)) WITHOUT ROWID;
  CREATE TABLE conflicts (
    id INTEGER PRIMARY KEY, record TEXT NOT NULL, kind TEXT NOT NULL, policy TEXT NOT NULL, at TEXT NOT NULL,
    lost_by TEXT NOT NULL, lost_op TEXT NOT NULL, lost_body TEXT);
  CREATE TABLE links (target TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (target, seq)) WITHOUT ROWID;
  CREATE INDEX links_seq ON links (seq);
  CREATE TABLE applied_requests (
    request TEXT PRIMARY KEY, capability TEXT NOT NULL, input TEXT NOT NULL, result TEXT NOT NULL,
    at TEXT NOT NULL) WITHOUT ROWID;

  -- Derived from records, behind the write: rows up to derived_seq, and those named in stale, see projection.ts.
  CREATE TABLE stale (seq INTEGER PRIMARY KEY);
  CREATE TABLE facets (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, recallable INTEGER NOT NULL, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, session TEXT, happened_at TEXT, domain TEXT, actor TEXT, action TEXT, success INTEGER,
    subject TEXT, confidence REAL, schema TEXT, name TEXT, text_key INTEGER NOT NULL);
  CREATE INDEX facets_updated ON facets (kind, updated_at);
  CREATE INDEX facets_happened ON facets (kind, happened_at);
  CREATE INDEX facets_session ON facets (session, happened_at) WHERE session IS NOT NULL;
  CREATE INDEX facets_domain ON facets (domain, happened_at) WHERE domain IS NOT NULL;
  CREATE INDEX facets_actor ON facets (actor, happened_at) WHERE actor IS NOT NULL;
  CREATE INDEX facets_action ON facets (action, happened_at) WHERE action IS NOT NULL;
  CREATE INDEX facets_success ON facets (success, happened_at) WHERE success IS NOT NULL;
  CREATE INDEX facets_subject ON facets (subject) WHERE subject IS NOT NULL;
  CREATE INDEX facets_confidence ON facets (confidence) WHERE confidence IS NOT NULL;
  CREATE INDEX facets_schema ON facets (schema) WHERE schema IS NOT NULL;
  CREATE INDEX facets_name ON facets (name) WHERE name IS NOT NULL;
  CREATE VIRTUAL TABLE text_index USING fts5 (
    ${textColumns}, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE text_words USING fts5vocab (text_index, row);

  -- The mirror's side: what each device has had acknowledged, and the stored answers.
  CREATE TABLE devices (device TEXT PRIMARY KEY, last_mid INTEGER NOT NULL, seen_at TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE results (
    device TEXT NOT NULL, mid INTEGER NOT NULL, hash TEXT NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (device, mid)) WITHOUT ROWID;
  `,
]

export const schemaVersion = migrations.length
