// The persona of a backup, and all its records: which records a backup has. `backup-part.ts` writes them as parts.
// Invariant: a backup is complete or fails: a record that can't be read here is an error.
import type { TaskContext } from '../../core/capability/context.ts'
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { isOpenKind, type Kind } from '../../core/kind.ts'
import { markId } from '../../core/mark.ts'
import type { Stored } from '../../core/record.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'

export type BackupPorts = TaskContext<'records' | 'transfer'>

export interface BackupPersona {
  readonly name: string
  /** The agents of its records. */
  readonly agents: readonly [string, ...string[]]
}

/**
 * The persona of this name, id or agent. Default: the persona of the call. Throws `forbidden` if the caller is a
 * persona and names another one, `not-found` for an unknown name, and `conflict` if the calling agent is no persona.
 */
export function backupPersona(
  { call, records }: Pick<BackupPorts, 'call' | 'records'>,
  personaName?: string,
): BackupPersona {
  const callingAgent = call.scope.agent
  const personas = records.query({ kind: 'persona', orderBy: ['registered_at', 'id'], limit: 1000 }).records
  const findPersona = (text: string) =>
    personas.find(({ id, agent, name }) => [id, agent, name].includes(text))
  const ownPersona = findPersona(callingAgent)
  const requested = personaName === undefined ? ownPersona : findPersona(personaName)
  if (ownPersona && requested && ownPersona['name'] !== requested['name'])
    throw new DaybookError('forbidden', 'A persona can back up only itself.', {
      details: { path: 'persona' },
    })
  if (requested) {
    // If its id is its agent, the records of its name are one persona: each device that registered it made
    // one.
    const sameName = personas.filter(({ id, agent, name }) => id === agent && name === requested['name'])
    const [first = requested.agent, ...otherAgents] =
      requested.id === requested.agent ? sameName.map(({ agent }) => agent) : []
    return { name: String(requested['name']), agents: [first, ...otherAgents] }
  }
  if (personaName !== undefined) {
    throw new DaybookError(
      'not-found',
      `There is no persona \`${personaName.slice(0, 80)}\`. Name a registered one.`,
      {
        details: { path: 'persona' },
      },
    )
  }
  throw new DaybookError('conflict', 'The calling agent is no persona. Name one.', {
    details: { path: 'persona', reason: 'not-initialized' },
  })
}

export interface PersonaRecords {
  /** All kinds that a backup may contain. */
  readonly kinds: readonly Kind[]
  /** The records by the name of their kind, ordered by id. */
  readonly byKind: ReadonlyMap<string, readonly Stored<JsonObject>[]>
  /** The highest sensitivity of the records, for the backup's own records. */
  readonly sensitivity: Sensitivity | undefined
}

/** All records and marks of a persona. Throws `locked` if one can't be read here, as a backup must be complete. */
export function personaRecords(at: BackupPorts, { agents }: BackupPersona): PersonaRecords {
  const kinds = [...at.records.kinds.values()].filter(
    // Rights and rules (`isOpenKind`) are the book's, not a persona's. No bundle contains a `bound` kind.
    (kind) => !kind.bound && !kind.grantsRights && !isOpenKind(kind),
  )
  const byKind = new Map<string, Stored<JsonObject>[]>()
  let sensitivity: Sensitivity | undefined
  const add = (record: Stored<JsonObject>) => {
    const sameKind = byKind.get(record.kind) ?? []
    if (sameKind.some(({ id }) => id === record.id)) return
    sameKind.push(record)
    byKind.set(record.kind, sameKind)
    // `isLowered(a, b)`: `a` is less sensitive than `b`.
    if (record.sensitivity && isLowered(sensitivity, record.sensitivity)) sensitivity = record.sensitivity
  }
  for (const kind of kinds) {
    for (let cursor: string | undefined; ;) {
      const page = at.records.query({
        kind: kind.name,
        filters: { agent: { in: [...agents] } },
        // Without `outdated`: a record that waits for its rebuild may quote a forgotten one.
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

/** The record without its marks, which are records of their own. */
function withoutMarks({ marks: _marks, ...record }: Stored<JsonObject>): Stored<JsonObject> {
  return record as Stored<JsonObject>
}

/** The records in the form that the bundle writer reads. */
export function asSnapshot({ byKind }: PersonaRecords): RecordSnapshot {
  return {
    counts: new Map([...byKind].map(([kind, { length }]) => [kind, length])),
    sealed: 0,
    locked: 0,
    read(kind, from, maxLength) {
      const list = byKind.get(kind) ?? []
      let length = 0
      let next = from
      for (; next < list.length && length < maxLength; next += 1) length += JSON.stringify(list[next]).length
      return { records: list.slice(from, next), next: next < list.length ? next : undefined }
    },
  }
}
