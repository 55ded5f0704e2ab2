// The verb of runs. A run is the traces and messages of one session, from the first to the last.
// Invariant: a run is computed from its records; nothing else is stored.
import { z } from 'zod'
import type { RecordReader, RunSpan } from '../../core/capability/port/record-port.ts'
import { defined } from '../../core/defined.ts'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { findSecrets } from '../../core/secret/find-secrets.ts'
import { scopeName, sealed, sealedField } from '../../shape/field.ts'
import { readVerb } from '../../shape/record-verbs.ts'
import { limit, offset } from '../../shape/page.ts'

const sortKeys = ['endedAt', 'startedAt', 'duration', 'steps', 'messages', 'failed'] as const
type Order = (typeof sortKeys)[number]
/** A key of a run; `-` before it: descending. */
const order = z.enum([...sortKeys, ...sortKeys.map((key) => `-${key}` as const)])

const runOutcome = z.enum(['succeeded', 'failed', 'open', 'none'])

const run = z.object({
  session: z.string(),
  /** Beginning of the goal of the first step; without a step, of the first message. */
  name: z.string(),
  /** Agent of the first step; without a step, of the first message. */
  agent: z.string(),
  /** Number of traces, and number of failed traces. */
  steps: z.number(),
  failed: z.number(),
  messages: z.number(),
  /** Outcome of the last step. `open`: without a result. `none`: there is no step. */
  outcome: runOutcome,
  /** Id of the last failed step. */
  failedStep: z.string().optional(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** Milliseconds between the first and the last record. */
  durationMs: z.number(),
})

export type Run = z.output<typeof run>

/** Most characters of the name of a run. */
const maxNameLength = 240
/** Most characters of a name that are searched for secrets. */
const secretReach = 4096

export const runCapabilities = [
  readVerb({
    id: 'runs:list',
    method: 'runs.list',
    summary:
      'Lists runs, latest first: the traces and messages of each session with name, agent, outcome and times.',
    input: z
      .strictObject({
        /** Only the run of this session. */
        session: scopeName.optional(),
        /** Only runs with records of this agent. Records of other agents in these runs are not counted. */
        agent: scopeName.optional(),
        /** True: only runs with a failed step. False: only runs without one. */
        failed: z.boolean().optional(),
        /** Only runs with this outcome. */
        outcome: runOutcome.optional(),
        orderBy: order.default('-endedAt'),
        limit: limit(50, 200),
        offset,
      })
      .prefault({}),
    output: z.object({
      /** Number of all runs found; `runs` is one page of them. */
      total: z.number(),
      runs: z.array(run),
      sealed,
    }),
    run({ session, agent, failed, outcome, orderBy, limit, offset }, at) {
      const spans = at.records
        .runs({ session, agent })
        .filter((span) => failed === undefined || span.failed > 0 === failed)
        .filter((span) => outcome === undefined || hasOutcome(at.records, span, { agent, outcome }))
        .toSorted(compareBy(orderBy))
      return {
        total: spans.length,
        runs: spans.slice(offset, offset + limit).map((span) => toRun(at.records, span, agent)),
        ...sealedField(countUnread(at.records, { session, agent })),
      }
    },
  }),
] as const

/** Number of traces and messages that can't be read here. */
function countUnread(
  records: RecordReader,
  scope: { session?: string | undefined; agent?: string | undefined },
) {
  return records.unread({ ...scope, kinds: ['trace', 'message'] })
}

const durationOf = ({ startedAt: from, endedAt: to }: RunSpan) => Date.parse(to) - Date.parse(from)

/** Compares runs; equal runs are ordered by session. */
function compareBy(sortOrder: z.output<typeof order>): (runA: RunSpan, runB: RunSpan) => number {
  const isDown = sortOrder.startsWith('-')
  const key = (isDown ? sortOrder.slice(1) : sortOrder) as Order
  const valueOf = (span: RunSpan) => (key === 'duration' ? durationOf(span) : span[key])
  return (runA, runB) => {
    const a = valueOf(runA)
    const b = valueOf(runB)
    if (a === b) return runA.session < runB.session ? -1 : 1
    return a < b === isDown ? 1 : -1
  }
}

interface OutcomeQuery {
  readonly agent: string | undefined
  readonly outcome: Run['outcome']
}

function hasOutcome(records: RecordReader, span: RunSpan, { agent, outcome }: OutcomeQuery): boolean {
  // The counts exclude most runs without a read.
  if (span.steps === 0 || outcome === 'none') return span.steps === 0 && outcome === 'none'
  if (outcome === 'failed' && span.failed === 0) return false
  return outcomeOf(findFirst(records, span, agent)('trace', '-timestamp')) === outcome
}

/** Finds the first record of a run in an order. */
const findFirst = (records: RecordReader, span: RunSpan, agent: string | undefined) => {
  // The range of times narrows the search in the index.
  const timestamp = { gte: span.startedAt, lte: span.endedAt }
  const filters = { session: span.session, timestamp, ...defined({ agent }) }
  return (kind: string, orderBy: string, extraFilters: JsonObject = {}): Stored<JsonObject> | undefined =>
    records.query({ kind, filters: { ...filters, ...extraFilters }, orderBy, limit: 1 }).records[0]
}

function toRun(records: RecordReader, span: RunSpan, agent: string | undefined): Run {
  const find = findFirst(records, span, agent)
  const lastStep = span.steps > 0 ? find('trace', '-timestamp') : undefined
  const firstRecord = span.steps > 0 ? find('trace', 'timestamp') : find('message', 'timestamp')
  const lastFailedStep =
    span.failed > 0 ? find('trace', '-timestamp', { 'result.success': false }) : undefined
  return {
    session: span.session,
    name: runName(firstRecord),
    agent: firstRecord?.agent ?? agent ?? '',
    steps: span.steps,
    failed: span.failed,
    messages: span.messages,
    outcome: outcomeOf(lastStep),
    ...(lastFailedStep ? { failedStep: lastFailedStep.id } : {}),
    startedAt: span.startedAt,
    endedAt: span.endedAt,
    durationMs: durationOf(span),
  }
}

function runName(first: Stored<JsonObject> | undefined): string {
  const name = isJsonObject(first?.['task']) ? first['task']['goal'] : first?.['content']
  const text = typeof name === 'string' ? name.replaceAll(/\s+/gu, ' ').trim() : ''
  return text.slice(0, nameEnd(text)).toWellFormed()
}

/** Half a secret is recognised as none, so a name ends before a secret that is longer. */
function nameEnd(text: string): number {
  const places = text.length > maxNameLength ? findSecrets(text.slice(0, secretReach)) : []
  return places.find(({ start, end }) => start < maxNameLength && end > maxNameLength)?.start ?? maxNameLength
}

function outcomeOf(last: Stored<JsonObject> | undefined): Run['outcome'] {
  if (!last) return 'none'
  if (!isJsonObject(last['result'])) return 'open'
  return last['result']['success'] === true ? 'succeeded' : 'failed'
}
