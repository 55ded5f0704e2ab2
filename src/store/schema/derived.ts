// The derived tables, which are filled from the records: hot columns, links, full text. They are never migrated but
// rebuilt: each book stores a key of the SQL below, and any change of that text makes every book derive all rows
// again.
// Invariant: each row was derived by the present declaration of its table and kind, or is marked as stale.
import { utcZone, type Zone } from '../../core/zone.ts'
import { type Kind, type Kinds, textFieldLimit, whenField } from '../../core/kind.ts'
import type { SqlDatabase, SqlValue } from '../../core/ports.ts'
import { precedenceOf } from './succession.ts'
import type { Settings } from './settings.ts'
import { textKey } from '../../core/text/text-key.ts'

/** The setting with the key of the declarations by which the table of sources was filled. */
export const sourcesSetting = 'derived:@sources'

/** The setting with the key for the table of awaited records; absent before the first record that awaits a source. */
export const awaitedSetting = 'derived:@awaited'

/** The setting with the key for the table of guards. */
export const guardsSetting = 'derived:@guards'

/**
 * Condition on rows of `sources` that no record contains: what keys have found, and keys of forgotten sources (see
 * record/source-links.ts). They stay when the table is filled again.
 */
export const isLinkNoteSql = "source GLOB '![=-]*'"

const textColumns = Array.from({ length: textFieldLimit }, (_, i) => `t${i}`).join(', ')

/**
 * Filled after each write, see record/projection.ts: up to date for records up to the setting `derived_seq`
 * that are not in `stale`. `text_key`: a hash of the indexed texts. `embed`: 1 when the text may go to an
 * embedder. `links.supersedes`: of several records that supersede the same one, 1: the earliest counts, 2: the latest;
 * 0: the link supersedes nothing.
 */
const derivedTables = `
CREATE TABLE stale (seq INTEGER PRIMARY KEY);
CREATE TABLE links (
  target TEXT NOT NULL, seq INTEGER NOT NULL, path TEXT NOT NULL, supersedes INTEGER NOT NULL,
  PRIMARY KEY (target, seq, path)) WITHOUT ROWID;
CREATE INDEX links_seq ON links (seq);
CREATE TABLE facets (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, recallable INTEGER NOT NULL, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, session TEXT, happened_at TEXT, domain TEXT, actor TEXT, action TEXT, success INTEGER,
  subject TEXT, confidence REAL, schema TEXT, name TEXT, importance REAL, pinned INTEGER, text_key INTEGER NOT NULL,
  superseded_at TEXT, replaced_from TEXT, displaced_at TEXT, begins_at TEXT, expires_at TEXT, embed INTEGER NOT NULL,
  outdated INTEGER NOT NULL, marks TEXT);
CREATE INDEX facets_updated ON facets (kind, updated_at);
CREATE INDEX facets_happened ON facets (kind, happened_at);
CREATE INDEX facets_session ON facets (session, happened_at) WHERE session IS NOT NULL;
CREATE INDEX facets_domain ON facets (domain, happened_at) WHERE domain IS NOT NULL;
CREATE INDEX facets_actor ON facets (actor, happened_at) WHERE actor IS NOT NULL;
CREATE INDEX facets_action ON facets (action, happened_at) WHERE action IS NOT NULL;
CREATE INDEX facets_success ON facets (success, happened_at) WHERE success IS NOT NULL;
CREATE INDEX facets_subject ON facets (subject, name) WHERE subject IS NOT NULL;
CREATE INDEX facets_confidence ON facets (confidence) WHERE confidence IS NOT NULL;
CREATE INDEX facets_schema ON facets (schema) WHERE schema IS NOT NULL;
CREATE INDEX facets_name ON facets (name) WHERE name IS NOT NULL;
CREATE INDEX facets_marks ON facets (marks) WHERE marks IS NOT NULL;
-- What the names in scopes are of a record whose kind says several: see scopeNames in core/kind.ts.
CREATE TABLE scope_names (seq INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (seq, name)) WITHOUT ROWID;
-- Scripts without spaces stand here as pairs of letters, long words by their first ones: see store/word.
CREATE VIRTUAL TABLE text_index USING fts5 (
  ${textColumns}, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE text_words USING fts5vocab (text_index, row);
CREATE VIRTUAL TABLE text_places USING fts5vocab (text_index, instance);
-- The postings of the text index as they are in memory, see posting-archive.ts.
CREATE TABLE posting_segments (
  n INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, documents INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
  checksum INTEGER NOT NULL, gone BLOB NOT NULL);
CREATE TABLE posting_parts (
  segment INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (segment, part));
CREATE TABLE posting_stale (seq INTEGER PRIMARY KEY);
`
/**
 * Filled in the transaction of each write, see record/sources.ts: the sources of records, and outdated
 * records. `is_gone`: a source is forgotten (0: it only became more sensitive). `is_remote`: another copy
 * made the change. `is_purged`: a source is purged.
 */
const sourceTables = `
CREATE TABLE sources (
  source TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (source, seq)) WITHOUT ROWID;
CREATE INDEX sources_seq ON sources (seq);
CREATE TABLE outdated (
  seq INTEGER PRIMARY KEY, is_gone INTEGER NOT NULL, is_remote INTEGER NOT NULL, is_purged INTEGER NOT NULL);
`
/**
 * Filled in the transaction of each write, once a record awaits a source, see record/source-links.ts: records by
 * keys.
 */
const awaitedTable = `
CREATE TABLE awaited (key TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (key, seq)) WITHOUT ROWID;
CREATE INDEX awaited_seq ON awaited (seq);
`
/** Filled in the transaction of each write, see record/guards.ts: the guards of records. */
const guardsTable = `
CREATE TABLE guards (source TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (source, seq)) WITHOUT ROWID;
CREATE INDEX guards_seq ON guards (seq);
`
/** Tables with a declaration of their own: a change of one rebuilds no other table. */
const separateTables = [
  { name: 'awaited', sql: awaitedTable, filledKey: awaitedSetting },
  { name: 'guards', sql: guardsTable, filledKey: guardsSetting },
]
const derivedTableNames = [
  'sources',
  'outdated',
  'stale',
  'links',
  'facets',
  'scope_names',
  'text_words',
  'text_places',
  'text_index',
  'posting_segments',
  'posting_parts',
  'posting_stale',
]

/**
 * Makes the derived tables again when they are missing, have another declaration, or `needsRebuild` returns true.
 * Marks the records of changed kinds as stale; after a change of the time zone, those of kinds with dates.
 */
export function prepareDerived(
  db: SqlDatabase,
  {
    kinds,
    zone = utcZone,
    needsRebuild = () => false,
  }: { readonly kinds: Kinds; readonly zone?: Zone | undefined; readonly needsRebuild?: () => boolean },
  settings: Settings,
): void {
  /** A hash, as a number: `textKey` of core/text. */
  const declared = textKey([derivedTables, sourceTables])
  db.transaction(() => {
    prepareSeparateTables(db, needsRebuild, settings)
    if (settings.getNumber('derived_tables') !== declared || needsRebuild()) {
      const linkNotes = readLinkNotes(db)
      for (const name of derivedTableNames) db.exec(`DROP TABLE IF EXISTS ${name}`)
      db.exec(derivedTables)
      db.exec(sourceTables)
      for (const note of linkNotes) db.run('INSERT INTO sources (source, seq, kind) VALUES (?, ?, ?)', note)
      settings.remove(sourcesSetting)
      settings.set('derived_tables', declared)
      settings.set('derived_seq', 0)
      for (const kind of kinds.values()) settings.set(`derived:${kind.name}`, declarationKey(kind, zone))
      settings.set('derived_unknown', 1)
      return
    }
    markUnknownKindsStale(db, kinds, settings)
    for (const kind of kinds.values()) {
      if (settings.getNumber(`derived:${kind.name}`) === declarationKey(kind, zone)) continue
      db.run('INSERT OR IGNORE INTO stale (seq) SELECT seq FROM records WHERE kind = ? AND seq <= ?', [
        kind.name,
        settings.getNumber('derived_seq'),
      ])
      settings.set(`derived:${kind.name}`, declarationKey(kind, zone))
    }
  })
}

/** The values of each row with `isLinkNoteSql`; none when the table is missing or damaged. */
function readLinkNotes(db: SqlDatabase): SqlValue[][] {
  try {
    return db.all(`SELECT source, seq, kind FROM sources WHERE ${isLinkNoteSql}`).map(Object.values)
  } catch {
    return []
  }
}

function prepareSeparateTables(db: SqlDatabase, needsRebuild: () => boolean, settings: Settings): void {
  for (const { name, sql, filledKey } of separateTables) {
    const declared = textKey([sql])
    if (settings.getNumber(`derived_${name}`) === declared && !needsRebuild()) continue
    db.exec(`DROP TABLE IF EXISTS ${name}`)
    db.exec(sql)
    settings.remove(filledKey)
    settings.set(`derived_${name}`, declared)
  }
}

/** Marks the records of unknown kinds as stale, once: an earlier Daybook derived no rows for them. */
function markUnknownKindsStale(db: SqlDatabase, kinds: Kinds, settings: Settings): void {
  if (settings.getNumber('derived_unknown') === 1) return
  db.run(
    `INSERT OR IGNORE INTO stale (seq) SELECT seq FROM records
     WHERE kind NOT IN (SELECT value FROM json_each(?)) AND seq <= ?`,
    [JSON.stringify([...kinds.keys()]), settings.getNumber('derived_seq')],
  )
  settings.set('derived_unknown', 1)
}

/**
 * A key of the declarations that affect a kind's derived rows. When only a function changes, the kind needs a new
 * `version`.
 */
function declarationKey(kind: Kind, { name: zone }: Zone): number {
  const { version, text, facets, begins = '', expires = '', cites = [], embed = true, scopeNames } = kind
  const cited = cites.flatMap((cite) => [cite.path, String(precedenceOf(kind, cite))])
  return textKey([
    String(version),
    ...text,
    ...Object.entries(facets).flat(),
    begins,
    expires,
    ...cited,
    String(embed !== false),
    // Increase the number when the folding of names changes.
    ...(scopeNames ? ['scopeNames', '2'] : []),
    // The words of a date and the end of a day depend on the time zone.
    ...(zone !== utcZone.name && (begins !== '' || expires !== '' || text.includes(whenField)) ? [zone] : []),
  ])
}
