// The chapter of sync: sync now, the conflict log, refused and pending changes.
// Invariant: a decision about a conflict is an ordinary write, so it syncs, and it can be changed by another decision.
import { defineChapter } from '../core/capability/chapter.ts'
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'
import type { RecordWriter } from '../core/capability/port/record-port.ts'
import type { SyncWriter } from '../core/capability/port/sync-port.ts'
import type { ConflictEntry, LoggedConflict, LoggedSide, OutboxEntry, RefusedOp } from '../core/op.ts'
import { DaybookError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json/path.ts'
import { defined } from '../core/defined.ts'
import { mostGuarded } from '../core/sealed.ts'
import { lowestTrust } from '../core/trusted.ts'
import { bodyOf, type PutRequest } from '../core/record.ts'
import { syncDirections } from '../core/capability/status.ts'
import { parseWith } from '../core/schema.ts'
import { shapeOf } from '../shape/shape-of.ts'
import { jsonObject } from '../shape/field.ts'
import { limit } from '../shape/page.ts'

/**
 * One side of a conflict: an edit. `by`: its device. `purged`: the forget was a purge. `record`: the id, if the edit
 * is of another record than the entry's. `sensitive`: the log stores the body sealed. `sealed`: in place of a body
 * whose key is missing.
 */
const sideShape = z.object({
  by: z.string(),
  op: z.enum(['put', 'forget']),
  body: jsonObject.optional(),
  purged: z.literal(true).optional(),
  record: z.string().optional(),
  sensitive: z.literal(true).optional(),
  sealed: z.object({ alg: z.literal('A256GCM'), kid: z.string(), bytes: z.number() }).optional(),
})

const conflictShape = shapeOf<ConflictEntry>()(
  z.object({
    id: z.number(),
    record: z.string(),
    kind: z.string(),
    policy: z.enum(['local_wins', 'remote_wins', 'last_write_wins', 'merge', 'manual']),
    at: z.string(),
    /** `open`: a person must decide. `settled`: the policy decided. `decided`: a person decided. */
    state: z.enum(['open', 'settled', 'decided']),
    loser: sideShape,
    winner: sideShape.optional(),
    /** The common base of both sides. */
    base: jsonObject.optional(),
    /** After a merge: paths that both sides changed to different values. */
    paths: z.array(z.string()).optional(),
  }),
)

const refusedOpShape = shapeOf<RefusedOp>()(
  z.object({
    /** Number in the outbox, ascending. */
    n: z.number(),
    /** Id of the record. */
    record: z.string(),
    kind: z.string(),
    op: z.enum(['put', 'forget']),
    code: z.string(),
    message: z.string(),
    /** Time of the refusal; of the change if it was never sent. */
    at: z.string().optional(),
    /** Path of the fault in the change. */
    path: z.string().optional(),
  }),
)

const outboxEntryShape = shapeOf<OutboxEntry>()(
  z.object({
    n: z.number(),
    record: z.string(),
    kind: z.string(),
    op: z.enum(['put', 'forget']),
    at: z.string(),
    state: z.enum(['waiting', 'sent', 'refused']),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
)

const choiceInput = z.strictObject({
  /** Id of the conflict, from `list`. */
  id: z.number().int(),
  /** The side that becomes the record, or `body` for the given body. */
  choose: z.enum(['loser', 'winner', 'body']),
  body: z.record(z.string(), z.json()).optional(),
})

type DecisionRecords = Pick<RecordWriter, 'put' | 'forget' | 'get' | 'succession'>

interface DecisionDeps {
  readonly records: DecisionRecords
  readonly sync: Pick<SyncWriter, 'conflict' | 'decideConflict'>
}

/** Checks and applies a decision. Call it in a transaction. */
export function decideConflict(
  input: unknown,
  { records, sync }: DecisionDeps,
): { record: string; changed: boolean } {
  const { id, choose, body } = parseWith(choiceInput, input)
  const entry = sync.conflict(id)
  if (!entry) throw new DaybookError('not-found', `There is no conflict ${id}.`, { details: { path: 'id' } })
  if ((choose === 'body') !== (body !== undefined)) {
    throw new DaybookError('invalid-input', '`body` belongs to the choice `body`, and to no other.', {
      details: { path: 'body' },
    })
  }
  // `winner.record` is another record: both supersede the same record.
  if (entry.winner?.record !== undefined) return decideRivals(entry, choose, body, { records, sync })
  const { record, kind, loser, state } = entry
  // The record already is the `winner` side, unless an earlier decision changed it.
  const winner = state === 'decided' ? entry.winner : undefined
  const chosen: LoggedSide | undefined = body
    ? { by: '', op: 'put', body }
    : choose === 'loser'
      ? loser
      : winner
  sync.decideConflict(id)
  if (!chosen) return { record, changed: false }
  if (chosen.sealed)
    throw new DaybookError('locked', undefined, { details: { record, sealed: chosen.sealed } })
  if (chosen.op === 'forget') return { record, changed: records.forget(record) }
  if (!chosen.body) throw purgedError(record)
  const head = body ? headOfNewBody(entry, records) : headFrom([chosen])
  records.put({ kind, id: record, body: chosen.body, exact: true, ...head })
  return { record, changed: true }
}

function purgedError(record: string): DaybookError {
  const message = `\`${record}\` was purged with this edit. It can't be restored.`
  return new DaybookError('conflict', message, { details: { path: 'choose' } })
}

/**
 * The head of a record that gets the content of these edits: of each field the first, the highest sensitivity and the lowest trust. An
 * edit that the log stores sealed is at least `sensitive`.
 */
function headFrom(sides: readonly (LoggedSide | undefined)[]): Pick<PutRequest, 'scope' | 'restores'> {
  const [first] = sides.flatMap((side) => side?.head ?? [])
  const levels = sides.flatMap((side) => [
    ...(side?.head ? [side.head.sensitivity] : []),
    ...(side?.sensitive ? ['sensitive' as const] : []),
  ])
  const sensitivity = levels.length === 0 ? undefined : levels.reduce((one, other) => mostGuarded(one, other))
  return {
    scope: defined({
      session: first?.session,
      resource: first?.resource,
      sensitivity,
      trust: lowestTrust(...sides.map((side) => side?.head?.trust)),
    }),
    restores: defined({ created_at: first?.created_at }),
  }
}

/** The head of a record that gets a new body: a live record keeps its session and resource. */
function headOfNewBody(
  { record, loser, winner }: Pick<LoggedConflict, 'record' | 'loser' | 'winner'>,
  records: DecisionRecords,
): Pick<PutRequest, 'scope' | 'restores'> {
  const head = headFrom(winner?.record === undefined ? [loser, winner] : [loser])
  return records.get(record)
    ? { ...head, scope: defined({ sensitivity: head.scope?.sensitivity, trust: head.scope?.trust }) }
    : head
}

/**
 * Decides between two records that supersede the same record. `loser` or `body`: the losing record supersedes the
 * current record of the chain. `winner`: it returns to its original place. `paths` has one path: the field that names
 * the superseded record.
 */
function decideRivals(
  entry: LoggedConflict,
  choose: z.output<typeof choiceInput>['choose'],
  body: JsonObject | undefined,
  { records, sync }: DecisionDeps,
): { record: string; changed: boolean } {
  const { id, record, kind, loser, paths = [], state } = entry
  const [path = ''] = paths
  sync.decideConflict(id)
  const now = records.get(record)
  // `isDisplaced`: another record has the place that this record claims.
  const succession = records.succession(record, kind)
  const originalTarget = loser.body?.[path]
  if (choose === 'winner') {
    const returns =
      state === 'decided' && now !== undefined && !succession.isDisplaced && now[path] !== originalTarget
    if (returns)
      records.put({
        kind,
        id: record,
        body: readableBody(record, loser),
        exact: true,
        ...headOfNewBody(entry, records),
      })
    return { record, changed: returns }
  }
  const content = body ?? (now ? bodyOf(now) : readableBody(record, loser))
  // The record already has its place, with the same body.
  if (now && !succession.isDisplaced && !body) return { record, changed: false }
  const target =
    now && !succession.isDisplaced ? now[path] : currentTarget(now ? record : originalTarget, kind, records)
  const { [path]: _before, ...rest } = content
  records.put({
    kind,
    id: record,
    body: target === undefined ? rest : { ...rest, [path]: target },
    exact: true,
    ...headOfNewBody(entry, records),
  })
  return { record, changed: true }
}

function currentTarget(from: Json | undefined, kind: string, records: DecisionRecords): Json | undefined {
  return typeof from === 'string' ? records.succession(from, kind).current : from
}

function readableBody(record: string, { body, sealed }: LoggedSide): JsonObject {
  if (body) return body
  if (!sealed) throw purgedError(record)
  throw new DaybookError('locked', undefined, { details: { record, sealed } })
}

const syncCapabilities = [
  defineCapability({
    id: 'daybook:sync',
    runs: 'device',
    permission: 'sync',
    methods: ['sync'],
    summary:
      'Sends unsent changes to the mirror and fetches new ones, until both agree; or does one of the two.',
    input: z
      .strictObject({
        /** `push` only sends, `pull` only fetches. `bidirectional` is another name for `both`. */
        direction: z.enum([...syncDirections, 'bidirectional']).default('both'),
      })
      .prefault({}),
    output: z.object({ pulled: z.number(), pushed: z.number(), conflicts: z.number() }),
    effect: 'task',
    repeatable: true,
    uses: ['mirror'],
    run: ({ direction }, at) => at.mirror.sync(direction === 'bidirectional' ? 'both' : direction),
  }),
  defineCapability({
    id: 'daybook:list_conflicts',
    methods: ['conflicts.list'],
    summary: 'Lists the edits that lost a conflict, newest first, each with its content and its winner.',
    input: z
      .strictObject({
        limit: limit(),
        /** Only conflicts of this record. */
        record: z.string().optional(),
        /** True: only conflicts that no person has decided. */
        undecided: z.boolean().default(false),
        /** Cursor: smallest id of the last page. */
        before: z.number().int().optional(),
      })
      .prefault({}),
    output: z.object({ conflicts: z.array(conflictShape) }),
    effect: 'read',
    uses: ['sync'],
    run: (query, at) => ({ conflicts: at.sync.conflicts(query) }),
  }),
  defineCapability({
    id: 'daybook:choose_conflict',
    methods: ['conflicts.choose'],
    summary:
      'Decides a conflict: the record gets the side that lost, stays as it is, or gets a new body. It can be decided again.',
    input: choiceInput,
    output: z.object({ record: z.string(), changed: z.boolean() }),
    effect: 'write',
    uses: ['records', 'sync'],
    run: (input, at) => decideConflict(input, at),
  }),
  defineCapability({
    id: 'daybook:list_dead_letters',
    runs: 'device',
    methods: ['deadLetters.list'],
    summary:
      'Lists the changes that the mirror refused for good, oldest first, each with the reason. They stay on this device.',
    input: z
      .strictObject({
        limit: limit(),
        /** Cursor: greatest `n` of the last page. */
        after: z.number().int().min(0).optional(),
      })
      .prefault({}),
    output: z.object({ deadLetters: z.array(refusedOpShape) }),
    effect: 'read',
    uses: ['sync'],
    run: ({ limit, after }, at) => ({ deadLetters: at.sync.refused(limit, after) }),
  }),
  defineCapability({
    id: 'daybook:retry_dead_letters',
    runs: 'device',
    methods: ['deadLetters.retry'],
    summary: 'Sends refused changes again with the next sync: those of some records, or all.',
    input: z.strictObject({ records: z.array(z.string()).max(1000).optional() }).prefault({}),
    output: z.object({ retried: z.array(z.string()) }),
    effect: 'write',
    uses: ['sync'],
    run: ({ records }, at) => ({ retried: at.sync.retryRefused(records) }),
  }),
  defineCapability({
    id: 'daybook:list_outbox',
    runs: 'device',
    methods: ['outbox.list'],
    summary:
      'Lists the changes that the mirror has not acknowledged, oldest first: waiting, sent without an answer, or refused with the reason.',
    input: z
      .strictObject({
        limit: limit(),
        /** Cursor: greatest `n` of the last page. */
        after: z.number().int().min(0).optional(),
      })
      .prefault({}),
    output: z.object({ entries: z.array(outboxEntryShape) }),
    effect: 'read',
    uses: ['sync'],
    run: (query, at) => ({ entries: at.sync.outbox(query) }),
  }),
] as const

export const sync = defineChapter({
  name: 'sync',
  capabilities: syncCapabilities,
  kinds: [],
})
