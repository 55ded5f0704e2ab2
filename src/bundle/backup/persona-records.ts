// What is a persona's in the book: every record in its name, of whatever kind, and the marks of those.
import type { TaskContext } from '../../core/capability/context.ts'
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { isOpenKind, type Kind } from '../../core/kind.ts'
import { markId } from '../../core/mark/mark-id.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'
import type { Stored } from '../../core/record.ts'

export type BackupPorts = TaskContext<'records' | 'transfer'>

export interface Owned {
  readonly name: string
  /** In whose names its records are. */
  readonly agents: readonly [string, ...string[]]
}

/** The persona that is called so, by its name or its id; without one, whose name the call is made in. */
export function ownedBy({ call, records }: Pick<BackupPorts, 'call' | 'records'>, called?: string): Owned {
  const own = call.scope.agent
  const all = records.query({ kind: 'persona', orderBy: ['registered_at', 'id'], limit: 1000 }).records
  const named = (text: string) => all.find(({ id, agent, name }) => [id, agent, name].includes(text))
  const mine = named(own)
  const found = called === undefined ? mine : named(called)
  if (mine && found && mine['name'] !== found['name'])
    throw new DaybookError('forbidden', 'A persona backs up no other.', { details: { path: 'persona' } })
  if (found) {
    const same = all.filter(({ id, agent, name }) => id === agent && name === found['name'])
    const [first = found.agent, ...more] = found.id === found.agent ? same.map(({ agent }) => agent) : []
    return { name: String(found['name']), agents: [first, ...more] }
  }
  if (called !== undefined) {
    throw new DaybookError('not-found', `There is no persona \`${called.slice(0, 80)}\`.`, {
      details: { path: 'persona' },
    })
  }
  throw new DaybookError('conflict', 'The call is made as no persona: name one.', {
    details: { path: 'persona', reason: 'not-initialized' },
  })
}

export interface Backed {
  readonly kinds: readonly Kind[]
  readonly byKind: ReadonlyMap<string, readonly Stored<JsonObject>[]>
  readonly sensitivity: Sensitivity | undefined
}

/** All of it. Throws `locked` when some of it can't be read here, because a backup has everything or is none. */
export function recordsOf(at: BackupPorts, { agents }: Owned): Backed {
  const kinds = [...at.records.kinds.values()].filter((one) => !one.bound && !one.guarded && !isOpenKind(one))
  const byKind = new Map<string, Stored<JsonObject>[]>()
  let sensitivity: Sensitivity | undefined
  const add = (record: Stored<JsonObject>) => {
    const listed = byKind.get(record.kind) ?? []
    if (listed.some(({ id }) => id === record.id)) return
    listed.push(record)
    byKind.set(record.kind, listed)
    if (record.sensitivity && isLowered(sensitivity, record.sensitivity)) sensitivity = record.sensitivity
  }
  for (const kind of kinds) {
    for (let cursor: string | undefined; ;) {
      const page = at.records.query({
        kind: kind.name,
        filters: { agent: { in: [...agents] } },
        // What waits to be told anew may quote what was forgotten.
        include: { expired: true, superseded: true },
        orderBy: 'id',
        limit: 1000,
        cursor,
      })
      if (page.sealed !== undefined) {
        throw new DaybookError('locked', `${page.sealed} records of the persona can't be read here.`, {
          details: { sealed: page.sealed },
        })
      }
      for (const record of page.records) {
        add(withoutMarks(record))
        const mark = record.marks && at.records.get(markId(record.id))
        if (mark) add(mark)
      }
      cursor = page.cursor
      if (cursor === undefined) break
    }
  }
  for (const list of byKind.values()) list.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { kinds, byKind, sensitivity }
}

/** Marks are records of their own. */
function withoutMarks({ marks: _marks, ...record }: Stored<JsonObject>): Stored<JsonObject> {
  return record as Stored<JsonObject>
}

/** They as the writer of bundles reads them. */
export function asSnapshot({ byKind }: Backed): RecordSnapshot {
  return {
    counts: new Map([...byKind].map(([kind, { length }]) => [kind, length])),
    sealed: 0,
    locked: 0,
    read(kind, from, length) {
      const list = byKind.get(kind) ?? []
      let taken = 0
      let next = from
      for (; next < list.length && taken < length; next += 1) taken += JSON.stringify(list[next]).length
      return { records: list.slice(from, next), next: next < list.length ? next : undefined }
    },
  }
}
