// The tables of a book, as numbered migrations that only go forward. Tables that can be filled again from the
// records are in derived.ts.
// `records`: `op` is its newest unacknowledged op, `rev` counts its changes in this copy, `body` is JSON (a sealed
// body is an array). `ops`: `n` is the number in this copy, `mid` the number for the mirror, `base` the mirror's
// version before.
// Invariant: a released migration never changes.

/** Element n migrates a book from version n to n + 1. */
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
  -- mid and wire are set when an op is first sent; '' for bytes that were withdrawn. refused says why one can't be sent.
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
  `
  -- What a change builds on and what was sent of it, as versions of its record; how often it was merged and sent again.
  ALTER TABLE ops ADD COLUMN base_rev INTEGER;
  ALTER TABLE ops ADD COLUMN rev INTEGER;
  ALTER TABLE ops ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
  -- The other two sides of a conflict, where they clashed, and whether anybody has still to decide.
  ALTER TABLE conflicts ADD COLUMN state TEXT NOT NULL DEFAULT 'settled';
  ALTER TABLE conflicts ADD COLUMN kept_by TEXT;
  ALTER TABLE conflicts ADD COLUMN kept_op TEXT;
  ALTER TABLE conflicts ADD COLUMN kept_body TEXT;
  ALTER TABLE conflicts ADD COLUMN base_body TEXT;
  ALTER TABLE conflicts ADD COLUMN paths TEXT;
  CREATE INDEX conflicts_record ON conflicts (record);
  -- How far each device has read.
  ALTER TABLE devices ADD COLUMN cursor INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- How often a record was used, on this device: counted here and nowhere else, and never synced.
  CREATE TABLE uses (seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, last_at TEXT NOT NULL);
  `,
  `
  -- Tombstones, for their collection.
  CREATE INDEX records_tombstone ON records (place) WHERE deleted = 1;
  -- What a mirror has so far, added up as in place-sum.ts.
  INSERT OR REPLACE INTO book (key, value)
    SELECT 'sum:' || kind, count(*) || ' ' || sum(place) || ' ' || sum((place % 65521) * (place % 65521))
    FROM records WHERE place > 0 GROUP BY kind;
  `,
  `
  -- Vectors, each in one space. They can be told from the records, but are kept: making them may cost time or money.
  CREATE TABLE vector_spaces (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE);
  CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY, space INTEGER NOT NULL, text_key INTEGER NOT NULL, scale REAL NOT NULL,
    numbers BLOB NOT NULL);
  -- The model that was computed from the book itself: its terms, a thousand in each part.
  CREATE TABLE model_parts (part INTEGER PRIMARY KEY, terms TEXT NOT NULL, numbers BLOB NOT NULL);
  `,
  `
  -- An earlier version keeps its whole head, so that what stood at one instant can be told later.
  ALTER TABLE history ADD COLUMN session TEXT;
  ALTER TABLE history ADD COLUMN resource TEXT;

  -- Records of uploads that are not whole yet.
  CREATE TABLE staged (n INTEGER PRIMARY KEY, upload TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
  CREATE UNIQUE INDEX staged_id ON staged (upload, id);
  CREATE INDEX staged_n ON staged (upload, n);
  `,
  `
  -- Ops that are sent ahead of all others, such as the revocation of a token.
  ALTER TABLE ops ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX ops_urgent ON ops (n) WHERE urgent = 1;
  `,
  `
  -- Calls that are to be made, each until it was made or is dead; see task-queue.ts. Local to this copy, never synced.
  CREATE TABLE tasks (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, capability TEXT NOT NULL, input TEXT NOT NULL,
    scope TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, max_attempts INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, due_at TEXT NOT NULL,
    owner TEXT, lease_until TEXT, result TEXT, error_code TEXT, error_message TEXT);
  CREATE INDEX tasks_due ON tasks (state, due_at);
  `,
  `
  -- The mirror's side: what each caller has left of its rate, and what is to be done later under the object's one alarm.
  CREATE TABLE rate_buckets (caller TEXT PRIMARY KEY, left_over REAL NOT NULL, at_ms INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE due_jobs (job TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID;
  `,
  `
  -- How sensitive a record is, and which key seals its body. A sealed body is a JSON array, see core/sealed.ts: so it
  -- stands in history, conflicts, staged and applied_requests too.
  ALTER TABLE records ADD COLUMN sensitivity TEXT;
  ALTER TABLE records ADD COLUMN kid TEXT;
  ALTER TABLE history ADD COLUMN sensitivity TEXT;
  CREATE INDEX records_kid ON records (kid, seq) WHERE kid IS NOT NULL;
  -- An op that says what the version before it says, under another key.
  ALTER TABLE ops ADD COLUMN reseal INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Who called what at this copy of the book, and what came of it; see access-log.ts. Never content, and never synced.
  CREATE TABLE audit (
    n INTEGER PRIMARY KEY, at TEXT NOT NULL, caller TEXT NOT NULL, "by" TEXT NOT NULL, id TEXT, capability TEXT NOT NULL,
    outcome TEXT NOT NULL, kinds TEXT NOT NULL, count INTEGER NOT NULL, purpose TEXT, receipt TEXT);
  `,
  `
  -- 1: it differs from the version after it in counts alone, and stays only while a change that waits rests on it.
  ALTER TABLE history ADD COLUMN passing INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The door reads the policies of a book, and whether one has changed, with every call of a guest.
  CREATE INDEX records_policy ON records (seq, rev, stamp) WHERE kind = 'policy';

  -- The mirror's side of requests that agents sign: nonces that must not come again yet, and what each caller has left.
  CREATE TABLE agent_nonces (agent TEXT NOT NULL, nonce TEXT NOT NULL, until_ms INTEGER NOT NULL, PRIMARY KEY (agent, nonce)) WITHOUT ROWID;
  CREATE INDEX agent_nonces_until ON agent_nonces (until_ms);
  CREATE TABLE agent_buckets (
    caller TEXT NOT NULL, bucket TEXT NOT NULL, left_over REAL NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (caller, bucket)) WITHOUT ROWID;

  -- The meeting room of a mirror while somebody is in it: one row of one size, see room-row.ts. Never synced.
  CREATE TABLE meeting (n INTEGER PRIMARY KEY CHECK (n = 1), stamp TEXT NOT NULL, state TEXT NOT NULL, bytes BLOB NOT NULL);

  -- The knowledge pool at this copy: see pool/pool-tables.ts. Never synced.
  CREATE TABLE pool_keys (n INTEGER PRIMARY KEY, claw TEXT NOT NULL, key TEXT NOT NULL, hash TEXT NOT NULL);
  CREATE UNIQUE INDEX pool_keys_key ON pool_keys (claw, key);
  CREATE TABLE pool_audit (
    n INTEGER PRIMARY KEY, at TEXT NOT NULL, type TEXT NOT NULL, claw TEXT NOT NULL, instance TEXT NOT NULL,
    key TEXT NOT NULL, trace TEXT NOT NULL, result TEXT NOT NULL, reason TEXT NOT NULL, source TEXT, count INTEGER NOT NULL);
  CREATE INDEX pool_audit_claw ON pool_audit (claw, type, result, reason, n);
  CREATE INDEX pool_audit_at ON pool_audit (at);
  CREATE TABLE pool_outbox (
    n INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, key TEXT NOT NULL, grp TEXT NOT NULL,
    text TEXT NOT NULL, own INTEGER NOT NULL, source TEXT);
  CREATE TABLE pool_positions (carrier TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE pool_waiting (
    n INTEGER PRIMARY KEY, type TEXT NOT NULL, about TEXT NOT NULL, claw TEXT NOT NULL, key TEXT NOT NULL,
    text TEXT NOT NULL, source TEXT, at INTEGER NOT NULL, due INTEGER NOT NULL);
  CREATE INDEX pool_waiting_about ON pool_waiting (about);
  CREATE INDEX pool_waiting_due ON pool_waiting (due);
  CREATE TABLE pool_presence (
    claw TEXT NOT NULL, instance TEXT NOT NULL, at INTEGER NOT NULL, status TEXT NOT NULL, name TEXT,
    own INTEGER NOT NULL, PRIMARY KEY (claw, instance)) WITHOUT ROWID;
  CREATE TABLE pool_own (claw TEXT PRIMARY KEY) WITHOUT ROWID;
  `,
  `
  -- Recalls and contexts as they were asked of this copy; see activity/activity-log.ts. Never synced. The words, which are
  -- JSON, may be sealed; they are last in a row, so that the rest is read without them.
  CREATE TABLE activity (
    n INTEGER PRIMARY KEY, at TEXT NOT NULL, sort TEXT NOT NULL, capability TEXT NOT NULL, caller TEXT NOT NULL,
    "by" TEXT NOT NULL, id TEXT, purpose TEXT, took INTEGER NOT NULL, tokens INTEGER, found INTEGER NOT NULL,
    lost TEXT, size INTEGER NOT NULL, hits TEXT NOT NULL, asked TEXT, packed TEXT);
  CREATE TABLE activity_hits (seq INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (seq, n)) WITHOUT ROWID;
  `,
  `
  -- The version in which a record was last forgotten, and last purged; 0: never. Who builds on an older one has not seen it.
  -- On a device, where it has not been sent yet: one above the version that the mirror has.
  ALTER TABLE records ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE records ADD COLUMN purged INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The version of the record that the erased bytes of a withdrawn op said; 0: bytes of several versions were erased.
  ALTER TABLE ops ADD COLUMN erased_rev INTEGER;
  `,
  `
  -- Names before the first release: the sides of a conflict, the remaining rate, the question and context of an activity.
  ALTER TABLE conflicts RENAME COLUMN lost_by TO loser_by;
  ALTER TABLE conflicts RENAME COLUMN lost_op TO loser_op;
  ALTER TABLE conflicts RENAME COLUMN lost_body TO loser_body;
  ALTER TABLE conflicts RENAME COLUMN kept_by TO winner_by;
  ALTER TABLE conflicts RENAME COLUMN kept_op TO winner_op;
  ALTER TABLE conflicts RENAME COLUMN kept_body TO winner_body;
  ALTER TABLE rate_buckets RENAME COLUMN left_over TO remaining;
  ALTER TABLE agent_buckets RENAME COLUMN left_over TO remaining;
  ALTER TABLE activity RENAME COLUMN asked TO question;
  ALTER TABLE activity RENAME COLUMN packed TO context;
  ALTER TABLE activity RENAME COLUMN lost TO missing;
  ALTER TABLE activity RENAME COLUMN took TO duration_ms;
  `,
  `
  -- Scope, sensitivity and creation time of each side of a conflict, as JSON.
  ALTER TABLE conflicts ADD COLUMN loser_head TEXT;
  ALTER TABLE conflicts ADD COLUMN winner_head TEXT;
  `,
  `
  -- Each context has the standing rules, and asks whether one has changed.
  CREATE INDEX records_rule ON records (seq, rev, stamp) WHERE kind = 'rule';
  `,
  `
  -- How far the text of a record may be believed, see core/trusted.ts; null: as the owner's own.
  ALTER TABLE records ADD COLUMN trust TEXT;
  ALTER TABLE history ADD COLUMN trust TEXT;
  `,
]

export const schemaVersion = migrations.length
