// The tables of a book, as forward-only numbered migrations. A migration that has been released never changes.
// What can be told from the records is not here: see derived.ts.

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
  CREATE TABLE applied_requests (
    request TEXT PRIMARY KEY, capability TEXT NOT NULL, input TEXT NOT NULL, result TEXT NOT NULL,
    at TEXT NOT NULL) WITHOUT ROWID;

  -- The mirror's side: what each device has had acknowledged, and the stored answers.
  CREATE TABLE devices (device TEXT PRIMARY KEY, last_mid INTEGER NOT NULL, seen_at TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE results (
    device TEXT NOT NULL, mid INTEGER NOT NULL, hash TEXT NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (device, mid)) WITHOUT ROWID;
  `,
]

export const schemaVersion = migrations.length
