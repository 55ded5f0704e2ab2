// The verbs of snapshots: take one, read one, list them.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { RecordHead } from '../../../core/record.ts'
import { recordId } from '../../../shape/field.ts'
import { called } from '../persona/persona-kind.ts'
import { needFit } from '../thought/remember.ts'
import { putSnapshot, snapshotOf } from './capture.ts'
import { needPersona, ownedBy, type Persona, readable, readableOne } from '../persona/persona.ts'
import { snapshotBody, type SnapshotBody, snapshotKind, snapshotLimit } from './snapshot-kind.ts'
import { cursor, limit, nextOf } from '../../../shape/page.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

export const snapshotShown = z.object({
  id: z.string(),
  taken_at: z.string(),
  focus: z.string(),
  /** Markdown with six headings, at most 8,000 characters. */
  markdown: z.string(),
  /** The quoted lines, each with its records. */
  context: snapshotBody.shape.context,
})
export type Snapshot = z.output<typeof snapshotShown>

const shown = ({ id, taken_at, focus, markdown, context }: RecordHead & SnapshotBody): Snapshot => ({
  id,
  taken_at,
  focus,
  markdown,
  context,
})

/** Returns the snapshot that was just stored. Throws `not-found` if it was forgotten in the meantime. */
function taken(found: (RecordHead & SnapshotBody) | undefined): Snapshot {
  if (found) return shown(found)
  throw new DaybookError('not-found', 'The snapshot was forgotten while it was taken; take another one.')
}

export function lastSnapshot(records: Pick<RecordReader, 'query'>, persona: Persona): Snapshot | undefined {
  const query = { kind: 'snapshot', filters: ownedBy(persona), orderBy: ['-taken_at', '-id'], limit: 10 }
  const [found] = readable(snapshotKind, records.query(query).records)
  return found && shown(found)
}

export const snapshotCapabilities = [
  defineCapability({
    id: 'katra:capture_snapshot',
    permission: 'write',
    methods: ['snapshots.capture'],
    summary: "Takes a snapshot of the persona's state, with its focus in its own words.",
    input: z
      .strictObject({
        focus: z
          .string()
          .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
          .optional(),
        persona: called,
      })
      .prefault({}),
    output: snapshotShown,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ focus, persona: named }, at) {
      if (focus !== undefined) needFit(focus, snapshotLimit.focus, 'focus')
      const persona = needPersona(at, named)
      const body = snapshotOf(at, persona, focus, at.call.scope.session)
      const id = await at.records.write((writer) => putSnapshot(writer, persona, body))
      return taken(readableOne(snapshotKind, at.records.get(id)))
    },
  }),
  readVerb({
    id: 'katra:restore_snapshot',
    method: 'snapshots.restore',
    summary:
      'Reads a snapshot of the persona, by default its last one: Markdown for the next prompt, and the quoted records.',
    input: z.strictObject({ id: recordId.optional(), persona: called }).prefault({}),
    output: z.object({ snapshot: snapshotShown.nullable() }),
    run({ id, persona: named }, at) {
      const persona = needPersona(at, named)
      if (id === undefined) return { snapshot: lastSnapshot(at.records, persona) ?? null }
      const found = readableOne(snapshotKind, at.records.get(id))
      if (!found || !persona.agents.includes(found.agent)) {
        throw new DaybookError('not-found', `${persona.name} has no snapshot \`${id}\`.`, {
          details: { path: 'id' },
        })
      }
      return { snapshot: shown(found) }
    },
  }),
  readVerb({
    id: 'katra:list_snapshots',
    method: 'snapshots.list',
    summary: 'Lists the snapshots of the persona, newest first.',
    input: z
      .strictObject({
        persona: called,
        limit: limit(30),
        cursor,
      })
      .prefault({}),
    output: z.object({ snapshots: z.array(snapshotShown), cursor: z.string().optional() }),
    run({ persona: named, limit, cursor }, at) {
      const persona = needPersona(at, named)
      const filters = ownedBy(persona)
      const page = at.records.query({ kind: 'snapshot', filters, orderBy: '-taken_at', limit, cursor })
      const snapshots = readable(snapshotKind, page.records).map(shown)
      return { snapshots, ...nextOf(page) }
    },
  }),
] as const
