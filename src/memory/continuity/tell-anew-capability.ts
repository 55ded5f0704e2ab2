// The verb that tells a digest, a pattern or a snapshot anew when a record that it rests on is forgotten or sealed.
// Invariant: what it writes rests on nothing but the records that are left, so it may be run twice, and on two devices.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import type { Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type RecordHead } from '../../core/record.ts'
import { recordId } from '../../shape/record-id.ts'
import { tellAnewOutput } from '../../shape/tell-anew.ts'
import { digestKind, patternKind } from './digest/digest-kind.ts'
import { type Digest, digestsOf, type Pattern } from './digest/digest-record.ts'
import { findPatterns, patternBodyOf } from './digest/pattern.ts'
import { type DigestPorts, tellDay } from './digest/tell-day.ts'
import { tellWeek, weeksOver } from './digest/tell-week.ts'
import { listPersonas, type Persona } from './persona/persona.ts'
import { readable } from './persona/readable.ts'
import { type SnapshotBody, snapshotKind } from './snapshot/snapshot-kind.ts'
import { snapshotParts } from './snapshot/snapshot-text.ts'

type At = DigestPorts
type Snapshot = RecordHead & SnapshotBody

/** False while it waits to be told anew. */
const isCurrent = ({ records }: At, { id, kind }: Pick<RecordHead, 'id' | 'kind'>) =>
  records.query({ kind, filters: { id }, limit: 1 }).records.length > 0

/** Tells these days anew where they are outdated themselves. */
async function tellOutdated(at: At, persona: Persona, days: readonly Digest[]): Promise<void> {
  for (const day of days) if (!isCurrent(at, day)) await tellDay(at, persona, day.period_id, true)
}

const forget = (at: At, id: string) => at.records.write(({ records }) => records.forget(id))

async function digestAnew(at: At, persona: Persona, digest: Digest): Promise<void> {
  if (digest.period === 'day') {
    await tellDay(at, persona, digest.period_id, true)
    return
  }
  const weekOf = () => weeksOver(at, persona).find(({ id }) => id === digest.period_id)
  await tellOutdated(at, persona, weekOf()?.days ?? [])
  const week = weekOf()
  if (week) await tellWeek(at, persona, week, true)
  else await forget(at, digest.id)
}

async function patternAnew(at: At, persona: Persona, pattern: Pattern): Promise<void> {
  const days = digestsOf(at.records, persona, 'day')
  await tellOutdated(at, persona, days)
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

/** The lines that rest on records which are all still there; a focus that was read from one that is not goes. */
async function snapshotAnew(at: At, snapshot: Snapshot): Promise<void> {
  const { context, focus, focus_records: from, ...rest } = bodyOf(snapshot) as unknown as SnapshotBody
  const isThere = (id: string) => at.records.get(id) !== undefined
  const left = Object.fromEntries(
    snapshotParts.map(({ name }) => [name, context[name].filter(({ records }) => records.every(isThere))]),
  )
  const isKnown = (from ?? []).every(isThere)
  const body = { ...rest, context: left, focus: isKnown ? focus : '', focus_records: isKnown ? from : [] }
  await at.records.write(({ records }) =>
    records.get(snapshot.id)
      ? records.put({ kind: 'snapshot', id: snapshot.id, body: body as unknown as JsonObject, exact: true })
      : '',
  )
}

const made = [digestKind, patternKind, snapshotKind]

export const tellAnewCapabilities = [
  defineCapability({
    id: 'katra:tell_anew',
    forAgents: true,
    methods: ['days.tellAnew'],
    summary:
      'Tells a digest, a pattern or a snapshot anew when a record that it rests on is gone, or forgets it when nothing is left. Runs by itself.',
    input: z.strictObject({
      id: recordId,
      /** Also when nothing that it rests on is gone: after a language model was added, or changed. */
      force: z.boolean().default(false),
    }),
    output: tellAnewOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ id, force }, at) {
      const found = at.records.get(id)
      const kind = made.find(({ name }) => name === found?.kind)
      if (!found || !kind) return { id, result: 'absent' as const }
      needUnderstood(kind as Pick<Kind, 'schema'>, found)
      if (!force && isCurrent(at, found)) return { id, result: 'current' as const }
      const persona = listPersonas(at).find(({ agents }) => agents.includes(found.agent))
      const [snapshot] = readable(snapshotKind, found.kind === 'snapshot' ? [found] : [])
      const [digest] = readable(digestKind, found.kind === 'digest' ? [found] : [])
      const [pattern] = readable(patternKind, found.kind === 'pattern' ? [found] : [])
      if (snapshot) await snapshotAnew(at, snapshot)
      // Without its persona nobody can say whose days they were.
      else if (!persona) await forget(at, id)
      else if (digest) await digestAnew(at, persona, digest)
      else if (pattern) await patternAnew(at, persona, pattern)
      return { id, result: at.records.get(id) ? ('told' as const) : ('forgotten' as const) }
    },
  }),
] as const
