// The tables of a mirror whose commits are in a database of its host: shared tables, and tables that each copy has
// for itself.
// Invariant: every table that the engine writes in a commit and can't rebuild is listed here.
import type { SqlRow, SqlValue } from '../../core/ports.ts'

/**
 * `json` is text in the book and has the type `json` in the host's database: the same text, which queries can read.
 */
export type RelationColumnType = 'text' | 'integer' | 'json' | 'bytes'

export interface MirrorRelation {
  /** The table of the book, and of the host's database when the rows are shared. */
  readonly name: string
  /** The columns of its primary key. */
  readonly key: readonly string[]
  readonly columns: Readonly<Record<string, RelationColumnType>>
  /** False: the rows belong to this process only. */
  readonly shared: boolean
  /** The SQL condition over `row` of shared rows. Default: all rows. */
  readonly sharedWhere?: string
}

/** The changes of one commit in one table. */
export interface RelationChange {
  readonly relation: MirrorRelation
  /** New and changed rows. */
  readonly upsertedRows: readonly SqlRow[]
  /** The keys of removed rows: values in the order of `relation.key`. */
  readonly removedKeys: readonly (readonly SqlValue[])[]
}

/** The column `op` of `records` is left out: a mirror has no outbox. */
export const relations: readonly MirrorRelation[] = [
  {
    name: 'book',
    key: ['key'],
    columns: { key: 'text', value: 'text' },
    shared: true,
    // Each copy has its own derived rows, vectors and model.
    sharedWhere: ['derived*', 'posting*', 'vector*', 'model*']
      .map((pattern) => `row.key NOT GLOB '${pattern}'`)
      .join(' AND '),
  },
  {
    name: 'records',
    key: ['seq'],
    columns: {
      seq: 'integer',
      id: 'text',
      kind: 'text',
      agent: 'text',
      session: 'text',
      resource: 'text',
      created_at: 'text',
      updated_at: 'text',
      stamp: 'text',
      ver: 'integer',
      place: 'integer',
      device: 'text',
      rev: 'integer',
      deleted: 'integer',
      gone: 'integer',
      purged: 'integer',
      sensitivity: 'text',
      trust: 'text',
      kid: 'text',
      body: 'json',
    },
    shared: true,
  },
  {
    name: 'history',
    key: ['seq', 'version'],
    columns: {
      seq: 'integer',
      version: 'integer',
      at: 'text',
      agent: 'text',
      op: 'text',
      body: 'json',
      session: 'text',
      resource: 'text',
      passing: 'integer',
      sensitivity: 'text',
      trust: 'text',
    },
    shared: true,
  },
  {
    name: 'conflicts',
    key: ['id'],
    columns: {
      id: 'integer',
      record: 'text',
      kind: 'text',
      policy: 'text',
      at: 'text',
      state: 'text',
      loser_by: 'text',
      loser_op: 'text',
      loser_body: 'json',
      winner_by: 'text',
      winner_op: 'text',
      winner_body: 'json',
      base_body: 'json',
      loser_head: 'json',
      winner_head: 'json',
      paths: 'json',
    },
    shared: true,
  },
  {
    name: 'applied_requests',
    key: ['request'],
    columns: { request: 'text', capability: 'text', input: 'text', result: 'text', at: 'text' },
    shared: true,
  },
  {
    name: 'devices',
    key: ['device'],
    columns: { device: 'text', last_mid: 'integer', seen_at: 'text', cursor: 'integer' },
    shared: true,
  },
  {
    name: 'results',
    key: ['device', 'mid'],
    columns: { device: 'text', mid: 'integer', hash: 'text', result: 'text' },
    shared: true,
  },
  {
    name: 'tasks',
    key: ['n'],
    columns: {
      n: 'integer',
      id: 'text',
      capability: 'text',
      input: 'text',
      scope: 'text',
      state: 'text',
      attempts: 'integer',
      max_attempts: 'integer',
      created_at: 'text',
      updated_at: 'text',
      due_at: 'text',
      owner: 'text',
      lease_until: 'text',
      result: 'text',
      error_code: 'text',
      error_message: 'text',
    },
    shared: true,
  },
  {
    name: 'audit',
    key: ['n'],
    columns: {
      n: 'integer',
      at: 'text',
      caller: 'text',
      by: 'text',
      id: 'text',
      capability: 'text',
      outcome: 'text',
      kinds: 'text',
      count: 'integer',
      purpose: 'text',
      receipt: 'text',
    },
    shared: true,
  },
  {
    name: 'meeting',
    key: ['n'],
    columns: { n: 'integer', stamp: 'text', state: 'text', bytes: 'bytes' },
    shared: true,
  },
  {
    name: 'staged',
    key: ['n'],
    columns: { n: 'integer', upload: 'text', id: 'text', kind: 'text', text: 'text' },
    shared: false,
  },
  {
    name: 'uses',
    key: ['seq'],
    columns: { seq: 'integer', count: 'integer', last_at: 'text' },
    shared: false,
  },
]

/** Tables that no mirror shares: tables of devices, and tables that each copy fills itself. */
export const unsharedTables: readonly string[] = [
  'schema_version',
  'ops',
  'vector_spaces',
  'vectors',
  'model_parts',
  'rate_buckets',
  'due_jobs',
  'agent_nonces',
  'agent_buckets',
  'pool_keys',
  'pool_audit',
  'pool_outbox',
  'pool_positions',
  'pool_waiting',
  'pool_presence',
  'pool_own',
  'activity',
  'activity_hits',
]

/** The tables that the host's database has too. */
export const sharedRelations = relations.filter(({ shared }) => shared)

/** The quoted name of a column: some names are SQL keywords. */
export const quoted = (name: string): string => `"${name}"`
