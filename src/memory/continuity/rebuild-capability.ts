// The verb that rebuilds a digest, a pattern or a snapshot after one of its source records was forgotten or sealed.
// Invariant: the result is written from the remaining records alone, so the verb may run twice, and on two devices.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import type { Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type RecordHead } from '../../core/record.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { recordId } from '../../shape/field.ts'
import { rebuildOutput } from '../../shape/rebuild.ts'
import { patternRange } from './digest/consolidate.ts'
import { digestKind, patternKind } from './digest/digest-kind.ts'
import { type Digest, findDigests, type Pattern } from './digest/digest-record.ts'
import { findPatterns, patternBodyOf } from './digest/pattern.ts'
import { type DigestContext, writeDay } from './digest/write-day.ts'
import { writeWeek, pastWeeks } from './digest/write-week.ts'
import { listPersonas, ownForget, ownUpkeep, parseRecord, type Persona } from './persona/persona.ts'
import { type SnapshotBody, snapshotKind, snapshotSections } from './snapshot/snapshot-kind.ts'

type Snapshot = RecordHead & SnapshotBody

/** False while the record is outdated and waits for a rebuild: a default query skips such records. */
const isCurrent = ({ records }: DigestContext, { id, kind }: Pick<RecordHead, 'id' | 'kind'>) =>
  records.query({ kind, filters: { id }, limit: 1 }).records.length > 0

/**
 * Rebuilds the outdated digests among `days`, from which a week or a pattern is then written. `force`: the
 * raw records may be as many as before.
 */
async function rebuildOutdated(at: DigestContext, persona: Persona, days: readonly Digest[]): Promise<void> {
  for (const day of days) if (!isCurrent(at, day)) await writeDay(at, persona, day.period_id, { force: true })
}

/** `persona`: the persona of the record; undefined if it is gone. */
const forget = (at: DigestContext, id: string, persona: Persona | undefined) =>
  at.records.write(({ records }) => records.forget(id, persona && ownForget(at, persona)))

/** Replaces the body of the record of the persona, unless the record was forgotten in the meantime. */
const replace = (
  at: DigestContext,
  { id, kind }: Pick<RecordHead, 'id' | 'kind'>,
  body: JsonObject,
  persona: Persona | undefined,
) =>
  at.records.write(({ records }) => {
    if (records.get(id)) records.put({ kind, id, body, exact: true, ...(persona && ownUpkeep(at, persona)) })
  })

async function rebuildDigest(at: DigestContext, persona: Persona, digest: Digest): Promise<void> {
  if (digest.period === 'day') {
    await writeDay(at, persona, digest.period_id, { force: true, how: 'once' })
    return
  }
  const findWeek = () => pastWeeks(at, persona).find(({ id }) => id === digest.period_id)
  await rebuildOutdated(at, persona, findWeek()?.days ?? [])
  const week = findWeek()
  if (week) await writeWeek(at, persona, week, { force: true, how: 'once' })
  else await forget(at, digest.id, persona)
}

/** Rebuilds it from days as far back as it was found in: among others, other subjects may recur more often. */
async function rebuildPattern(at: DigestContext, persona: Persona, pattern: Pattern): Promise<void> {
  const lastMs = parseTime(pattern.last_at) ?? 0
  const span = { ...patternRange(lastMs), before: formatTime(lastMs + 1) }
  const days = () => findDigests(at.records, persona, 'day', span)
  await rebuildOutdated(at, persona, days())
  const foundPattern = findPatterns(days()).find(
    ({ type, about }) => type === pattern.type && about === pattern.about,
  )
  if (!foundPattern) {
    await forget(at, pattern.id, persona)
    return
  }
  await replace(at, pattern, patternBodyOf(persona, foundPattern), persona)
}

/** Keeps the lines whose records all exist. Removes a focus if one of its records is gone. */
async function rebuildSnapshot(
  at: DigestContext,
  snapshot: Snapshot,
  persona: Persona | undefined,
): Promise<void> {
  const {
    context,
    focus,
    focus_records: focusRecordIds,
    ...rest
  } = bodyOf(snapshot) as unknown as SnapshotBody
  const exists = (id: string) => at.records.get(id) !== undefined
  const remaining = Object.fromEntries(
    snapshotSections.map(({ name }) => [name, context[name].filter(({ records }) => records.every(exists))]),
  )
  const hasSources = (focusRecordIds ?? []).every(exists)
  const body = {
    ...rest,
    context: remaining,
    focus: hasSources ? focus : '',
    focus_records: hasSources ? focusRecordIds : [],
  }
  await replace(at, snapshot, body as unknown as JsonObject, persona)
}

const rebuiltKinds = [digestKind, patternKind, snapshotKind]

export const rebuildCapabilities = [
  defineCapability({
    id: 'katra:rebuild',
    // It decides nothing, so agents may call it; guests may not.
    forAgents: true,
    methods: ['days.rebuild'],
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
    // recall: its language model.
    uses: ['records', 'recall'],
    async run({ id, force }, at) {
      const record = at.records.get(id)
      const kind = rebuiltKinds.find(({ name }) => name === record?.kind)
      if (!record || !kind) return { id, result: 'absent' as const }
      needUnderstood(kind as Pick<Kind, 'schema'>, record)
      if (!force && isCurrent(at, record)) return { id, result: 'current' as const }
      const persona = listPersonas(at).find(({ agents }) => agents.includes(record.agent))
      const snapshot = parseRecord(snapshotKind, record)
      const digest = parseRecord(digestKind, record)
      const pattern = parseRecord(patternKind, record)
      if (snapshot) await rebuildSnapshot(at, snapshot, persona)
      // The days of a record are those of its persona's time zone, so without the persona it can't be written
      // again.
      else if (!persona) await forget(at, id, persona)
      else if (digest) await rebuildDigest(at, persona, digest)
      else if (pattern) await rebuildPattern(at, persona, pattern)
      return { id, result: at.records.get(id) ? ('rebuilt' as const) : ('forgotten' as const) }
    },
  }),
] as const
