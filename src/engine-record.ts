// What the rooms get to see of the store: a reader, and inside a transaction a writer that completes and logs each op.
import type { RecordReader, RecordWriter } from './core/capability.ts'
import { DaybookError } from './core/errors.ts'
import { createIds } from './core/ids.ts'
import type { JsonObject } from './core/path.ts'
import type { Ports } from './core/ports.ts'
import type { Scope } from './core/record.ts'
import { parseWith } from './core/schema.ts'
import { release } from './engine-release.ts'
import type { BookStore } from './store/book-store.ts'
import { toRecord } from './store/record-row.ts'

export interface Changed {
  readonly id: string
  readonly kind: string
}

export interface RecordAccess {
  readonly reader: RecordReader
  /** A writer for one transaction, and the list of what it changes. */
  writer(
    now: string,
    defaults?: Scope,
  ): { readonly records: RecordWriter; readonly changed: readonly Changed[] }
}

export function createRecordAccess({
  store,
  ports,
  scope,
}: {
  store: BookStore
  ports: Ports
  scope: Scope
}): RecordAccess {
  const { records, queries, stamps } = store
  const ids = createIds(ports)
  const kindNamed = (name: string) => {
    const kind = store.kinds.get(name)
    if (!kind) throw new DaybookError('internal', `There is no kind \`${name}\`.`)
    return kind
  }

  const get: RecordReader['get'] = (id) => {
    const row = records.row(id)
    return row && !row.deleted ? toRecord(row) : undefined
  }

  const reader: RecordReader = {
    get,
    query: queries.query,
    search: queries.search,
    count: queries.count,
    history: records.history,
    snapshot: queries.snapshot,
    conflicts: store.conflicts.list,
    citing(id) {
      store.projection.catchUp()
      return queries.citing(id)
    },
    extents: queries.extents,
  }

  const writer = (now: string, defaults = scope) => {
    const changed: Changed[] = []
    const writing: RecordWriter = {
      get,
      history: records.history,
      citing(id) {
        store.projection.catchUpWithin()
        return queries.citing(id)
      },
      put({ kind, id, body: given, scope: own = {}, checked = false, times }) {
        const body = checked ? given : (parseWith(kindNamed(kind).schema, given) as JsonObject)
        const before = id === undefined ? undefined : records.row(id)
        if (before && before.kind !== kind) {
          throw new DaybookError('conflict', `\`${before.id}\` is a ${before.kind}, not a ${kind}.`, {
            details: { path: 'id' },
          })
        }
        // What comes back from elsewhere comes with its whole head.
        const kept = before && !before.deleted && !times ? before : undefined
        const usual: Partial<Scope> = kept || times ? {} : defaults
        const session = own.session ?? kept?.session ?? usual.session
        const resource = own.resource ?? kept?.resource ?? usual.resource
        const op = {
          op: 'put' as const,
          kind,
          id: id ?? ids.next(),
          at: times?.updated_at ?? now,
          stamp: stamps.next(),
          created_at: times?.created_at ?? kept?.created_at ?? now,
          agent: own.agent ?? kept?.agent ?? defaults.agent,
          ...(session == null ? {} : { session }),
          ...(resource == null ? {} : { resource }),
          body,
        }
        records.put(op, { fresh: id === undefined })
        changed.push({ id: op.id, kind })
        return op.id
      },
      forget(id) {
        const before = records.row(id)
        if (!before || before.deleted) return false
        records.forget({
          op: 'forget',
          kind: before.kind,
          id,
          at: now,
          stamp: stamps.next(),
          agent: defaults.agent,
        })
        changed.push({ id, kind: before.kind })
        return true
      },
      conflict: store.conflicts.get,
      decideConflict: store.conflicts.decide,
      purge(id) {
        const row = records.row(id)
        if (!row) return false
        writing.forget(id)
        store.purge.purge(id, row.seq)
        return true
      },
      release: (id) => release({ ...writing, kinds: store.kinds }, id),
      wasForgotten: (id) => records.row(id)?.deleted === 1,
      lose(entry) {
        const lost = JSON.stringify(entry.lost.body)
        const known = store.conflicts.list({ record: entry.record, limit: 100 })
        if (!known.some((one) => JSON.stringify(one.lost.body) === lost))
          store.conflicts.add({ ...entry, at: now })
      },
      unstaged: store.staging.unstaged,
    }
    return { records: writing, changed }
  }

  return { reader, writer }
}
