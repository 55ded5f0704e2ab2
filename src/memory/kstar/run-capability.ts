// The verb of runs: what traces and messages of one session are together, from the first step to the last.
// Invariant: a run is told from its records alone; nothing of it is stored beside them.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { RecordReader, RunSpan } from '../../core/capability/port/record-port.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { sealed, sealedField } from '../../shape/sealed-count.ts'
import { scopeName } from '../../shape/scope-name.ts'

const orders = ['ended_at', 'started_at', 'duration', 'steps', 'messages', 'failed'] as const
type Order = (typeof orders)[number]
const order = z.enum([...orders, ...orders.map((one) => `-${one}` as const)])

const run = z.object({
  session: z.string(),
  /** The goal of its first step, else the first thing said in it; its beginning. */
  name: z.string(),
  /** Whose its first record is. */
  agent: z.string(),
  /** Traces, and how many of them failed. */
  steps: z.number(),
  failed: z.number(),
  messages: z.number(),
  /** How its last step ended; `open` when that has no result, `none` when nothing was done in it. */
  outcome: z.enum(['succeeded', 'failed', 'open', 'none']),
  /** The last step that failed. */
  failed_step: z.string().optional(),
  started_at: z.string(),
  ended_at: z.string(),
  /** Between its first record and its last, in milliseconds. */
  duration_ms: z.number(),
})

export type Run = z.output<typeof run>

const nameLength = 240

export const runCapabilities = [
  defineCapability({
    id: 'runs:list',
    methods: ['runs.list'],
    summary:
      'Lists runs, latest first: the traces and messages of each session with name, agent, outcome and times.',
    input: z
      .strictObject({
        /** That of this session alone. */
        session: scopeName.optional(),
        /** Those with records of this agent, and what of them is its own. */
        agent: scopeName.optional(),
        /** True: those with a step that failed. False: those without. */
        failed: z.boolean().optional(),
        order_by: order.default('-ended_at'),
        limit: z.number().int().min(1).max(200).default(50),
        offset: z.number().int().min(0).max(1_000_000).default(0),
      })
      .prefault({}),
    output: z.object({
      /** How many there are; `runs` are some of them. */
      total: z.number(),
      runs: z.array(run),
      sealed,
    }),
    effect: 'read',
    uses: ['records'],
    permission: 'read',
    run({ session, agent, failed, order_by: by, limit, offset }, at) {
      const spans = at.records
        .runs({ session, agent })
        .filter((span) => failed === undefined || span.failed > 0 === failed)
        .toSorted(compareBy(by))
      return {
        total: spans.length,
        runs: spans.slice(offset, offset + limit).map((span) => toRun(at.records, span, agent)),
        ...sealedField(unreadIn(at.records, { session, agent })),
      }
    },
  }),
] as const

/** What can't be read here, of the two kinds that a run is made of. */
function unreadIn(
  records: RecordReader,
  scope: { session?: string | undefined; agent?: string | undefined },
) {
  return records.unread({ ...scope, kinds: ['trace', 'message'] })
}

const durationOf = ({ started_at: from, ended_at: to }: RunSpan) => Date.parse(to) - Date.parse(from)

/** Runs that are alike in what they are ordered by stand in the order of their names. */
function compareBy(by: z.output<typeof order>): (one: RunSpan, other: RunSpan) => number {
  const isDown = by.startsWith('-')
  const key = (isDown ? by.slice(1) : by) as Order
  const valueOf = (span: RunSpan) => (key === 'duration' ? durationOf(span) : span[key])
  return (one, other) => {
    const a = valueOf(one)
    const b = valueOf(other)
    if (a === b) return one.session < other.session ? -1 : 1
    return a < b === isDown ? 1 : -1
  }
}

function toRun(records: RecordReader, span: RunSpan, agent: string | undefined): Run {
  // Its own times keep the search in the index to where the run is.
  const timestamp = { gte: span.started_at, lte: span.ended_at }
  const filters = { session: span.session, timestamp, ...(agent === undefined ? {} : { agent }) }
  const one = (kind: string, orderBy: string, more: JsonObject = {}): Stored<JsonObject> | undefined =>
    records.query({ kind, filters: { ...filters, ...more }, orderBy, limit: 1 }).records[0]
  const last = span.steps > 0 ? one('trace', '-timestamp') : undefined
  const first = span.steps > 0 ? one('trace', 'timestamp') : one('message', 'timestamp')
  const failure = span.failed > 0 ? one('trace', '-timestamp', { 'result.success': false }) : undefined
  return {
    session: span.session,
    name: nameOf(first),
    agent: first?.agent ?? agent ?? '',
    steps: span.steps,
    failed: span.failed,
    messages: span.messages,
    outcome: outcomeOf(last),
    ...(failure ? { failed_step: failure.id } : {}),
    started_at: span.started_at,
    ended_at: span.ended_at,
    duration_ms: durationOf(span),
  }
}

function nameOf(first: Stored<JsonObject> | undefined): string {
  const said = isJsonObject(first?.['task']) ? first['task']['goal'] : first?.['content']
  const text = typeof said === 'string' ? said.replaceAll(/\s+/gu, ' ').trim() : ''
  return text.slice(0, nameLength).toWellFormed()
}

function outcomeOf(last: Stored<JsonObject> | undefined): Run['outcome'] {
  if (!last) return 'none'
  if (!isJsonObject(last['result'])) return 'open'
  return last['result']['success'] === true ? 'succeeded' : 'failed'
}
