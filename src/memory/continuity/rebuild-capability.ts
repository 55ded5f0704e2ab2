// The verb that rebuilds a digest, a pattern or a snapshot after one of its source records was forgotten or sealed.
// Invariant: the result is written from the remaining records alone, so the verb may run twice, and on two devices.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import type { Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type RecordHead } from '../../core/record.ts'
import { recordId } from '../../shape/field.ts'
import { rebuildOutput } from '../../shape/rebuild.ts'
import { digestKind, patternKind } from './digest/digest-kind.ts'
import { type Digest, digestsOf, type Pattern } from './digest/digest-record.ts'
import { findPatterns, patternBodyOf } from './digest/pattern.ts'
import { type DigestPorts, writeDay } from './digest/write-day.ts'
import { writeWeek, pastWeeks } from './digest/write-week.ts'
import { listPersonas, type Persona, readable } from './persona/persona.ts'
import { type SnapshotBody, snapshotKind, snapshotParts } from './snapshot/snapshot-kind.ts'

type At = DigestPorts
type Snapshot = RecordHead & SnapshotBody

/** False while the record is outdated and waits for a rebuild. */
const isCurrent = ({ records }: At, { id, kind }: Pick<RecordHead, 'id' | 'kind'>) =>
  records.query({ kind, filters: { id }, limit: 1 }).records.length > 0

/** Rebuilds the outdated digests among `days`. */
async function rebuildOutdated(at: At, persona: Persona, days: readonly Digest[]): Promise<void> {
  for (const day of days) if (!isCurrent(at, day)) await writeDay(at, persona, day.period_id, true)
}

const forget = (at: At, id: string) => at.records.write(({ records }) => records.forget(id))

async function rebuildDigest(at: At, persona: Persona, digest: Digest): Promise<void> {
  if (digest.period === 'day') {
    await writeDay(at, persona, digest.period_id, true)
    return
  }
  const weekOf = () => pastWeeks(at, persona).find(({ id }) => id === digest.period_id)
  await rebuildOutdated(at, persona, weekOf()?.days ?? [])
  const week = weekOf()
  if (week) await writeWeek(at, persona, week, true)
  else await forget(at, digest.id)
}

async function rebuildPattern(at: At, persona: Persona, pattern: Pattern): Promise<void> {
  const days = digestsOf(at.records, persona, 'day')
  await rebuildOutdated(at, persona, days)
  const found = findPatterns(digestsOf(at.records, persona, 'day')).find(
    ({ type, about }) => type === pattern.type && about === pattern.about,
  )
  if (!found) {
    await forget(at, pattern.id)
    return
  }
  const body = patternBodyOf(persona, found)
  await at.records.write(({ records }) =>
    records.get(pattern.id) ? records.put({ kind: 'pattern', id: pattern.id, body, exact: true }) : '',
  )
}

/** Keeps the lines whose records all exist. Removes a focus if one of its records is gone. */
async function rebuildSnapshot(at: At, snapshot: Snapshot): Promise<void> {
  const { context, focus, focus_records: from, ...rest } = bodyOf(snapshot) as unknown as SnapshotBody
  const isThere = (id: string) => at.records.get(id) !== undefined
  const remaining = Object.fromEntries(
    snapshotParts.map(({ name }) => [name, context[name].filter(({ records }) => records.every(isThere))]),
  )
  const hasSources = (from ?? []).every(isThere)
  const body = {
    ...rest,
    context: remaining,
    focus: hasSources ? focus : '',
    focus_records: hasSources ? from : [],
  }
  await at.records.write(({ records }) =>
    records.get(snapshot.id)
      ? records.put({ kind: 'snapshot', id: snapshot.id, body: body as unknown as JsonObject, exact: true })
      : '',
  )
}

const rebuiltKinds = [digestKind, patternKind, snapshotKind]

export const rebuildCapabilities = [
  defineCapability({
    id: 'katra:tell_anew',
    forAgents: true,
    methods: ['days.tellAnew'],
    summary:
      'Rebuilds a digest, a pattern or a snapshot after a source record is gone, or forgets it without sources. Runs by itself.',
    input: z.strictObject({
      id: recordId,
      /** True: rebuilds even if no source is gone, for example after a language model was added or changed. */
      force: z.boolean().default(false),
    }),
    output: rebuildOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ id, force }, at) {
      const found = at.records.get(id)
      const kind = rebuiltKinds.find(({ name }) => name === found?.kind)
      if (!found || !kind) return { id, result: 'absent' as const }
      needUnderstood(kind as Pick<Kind, 'schema'>, found)
      if (!force && isCurrent(at, found)) return { id, result: 'current' as const }
      const persona = listPersonas(at).find(({ agents }) => agents.includes(found.agent))
      const [snapshot] = readable(snapshotKind, found.kind === 'snapshot' ? [found] : [])
      const [digest] = readable(digestKind, found.kind === 'digest' ? [found] : [])
      const [pattern] = readable(patternKind, found.kind === 'pattern' ? [found] : [])
      if (snapshot) await rebuildSnapshot(at, snapshot)
      // Without a persona, the days of a record can't be determined.
      else if (!persona) await forget(at, id)
      else if (digest) await rebuildDigest(at, persona, digest)
      else if (pattern) await rebuildPattern(at, persona, pattern)
      return { id, result: at.records.get(id) ? ('told' as const) : ('forgotten' as const) }
    },
  }),
] as const
