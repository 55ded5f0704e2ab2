// The verbs of snapshots: take one, read one, list them.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { RecordHead } from '../../../core/record.ts'
import { recordId } from '../../../shape/field.ts'
import { personaRefInput } from '../persona/persona-kind.ts'
import { assertFits } from '../thought/remember.ts'
import { storeSnapshot, buildSnapshot } from './build-snapshot.ts'
import { requirePersona, personaFilter, type Persona, parseRecords, parseRecord } from '../persona/persona.ts'
import { snapshotBody, type SnapshotBody, snapshotKind, snapshotLimits } from './snapshot-kind.ts'
import { cursor, limit, nextOf } from '../../../shape/page.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

export const snapshotOutput = z.object({
  id: z.string(),
  taken_at: z.string(),
  focus: z.string(),
  /** Markdown with six headings, at most 8,000 characters. */
  markdown: z.string(),
  /** The quoted lines, each with its records. */
  context: snapshotBody.shape.context,
})
export type Snapshot = z.output<typeof snapshotOutput>

const toOutput = ({ id, taken_at, focus, markdown, context }: RecordHead & SnapshotBody): Snapshot => ({
  id,
  taken_at,
  focus,
  markdown,
  context,
})

/** Returns the snapshot that was just stored. Throws `not-found` if it was forgotten in the meantime. */
function requireStored(snapshot: (RecordHead & SnapshotBody) | undefined): Snapshot {
  if (snapshot) return toOutput(snapshot)
  throw new DaybookError('not-found', 'The snapshot was forgotten while it was taken; take another one.')
}

/** The persona's last snapshot. Reads ten, because `parseRecords` skips unknown shapes. */
export function lastSnapshot(records: Pick<RecordReader, 'query'>, persona: Persona): Snapshot | undefined {
  const query = {
    kind: 'snapshot',
    filters: personaFilter(persona),
    orderBy: ['-taken_at', '-id'],
    limit: 10,
  }
  const [found] = parseRecords(snapshotKind, records.query(query).records)
  return found && toOutput(found)
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
        persona: personaRefInput,
      })
      .prefault({}),
    output: snapshotOutput,
    effect: 'task',
    repeatable: true,
    // recall: `buildSnapshot` requires the ports of a digest, but calls no model.
    uses: ['records', 'recall'],
    async run({ focus, persona: personaRef }, at) {
      if (focus !== undefined) assertFits(focus, snapshotLimits.focus, 'focus')
      const persona = requirePersona(at, personaRef)
      const body = buildSnapshot(at, persona, focus, at.call.scope.session)
      const id = await at.records.write((writer) => storeSnapshot(writer, persona, body))
      return requireStored(parseRecord(snapshotKind, at.records.get(id)))
    },
  }),
  readVerb({
    id: 'katra:restore_snapshot',
    method: 'snapshots.restore',
    summary:
      'Reads a snapshot of the persona, by default its last one: Markdown for the next prompt, and the quoted records.',
    input: z.strictObject({ id: recordId.optional(), persona: personaRefInput }).prefault({}),
    output: z.object({ snapshot: snapshotOutput.nullable() }),
    run({ id, persona: personaRef }, at) {
      const persona = requirePersona(at, personaRef)
      if (id === undefined) return { snapshot: lastSnapshot(at.records, persona) ?? null }
      const found = parseRecord(snapshotKind, at.records.get(id))
      if (!found || !persona.agents.includes(found.agent)) {
        throw new DaybookError('not-found', `${persona.name} has no snapshot \`${id}\`.`, {
          details: { path: 'id' },
        })
      }
      return { snapshot: toOutput(found) }
    },
  }),
  readVerb({
    id: 'katra:list_snapshots',
    method: 'snapshots.list',
    summary: 'Lists the snapshots of the persona, newest first.',
    input: z
      .strictObject({
        persona: personaRefInput,
        limit: limit(30),
        cursor,
      })
      .prefault({}),
    output: z.object({ snapshots: z.array(snapshotOutput), cursor: z.string().optional() }),
    run({ persona: personaRef, limit, cursor }, at) {
      const persona = requirePersona(at, personaRef)
      const filters = personaFilter(persona)
      const page = at.records.query({ kind: 'snapshot', filters, orderBy: '-taken_at', limit, cursor })
      const snapshots = parseRecords(snapshotKind, page.records).map(toOutput)
      return { snapshots, ...nextOf(page) }
    },
  }),
] as const
