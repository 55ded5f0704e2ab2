// The kind `trace`: episodic memory, one thing that an agent did, as situation, task, action and result (STAR). Input
// is strict, so that a misspelt field is an error; a stored body may have unknown fields.
import { type Kind, whenField } from '../../core/kind.ts'
import { isJsonObject, type Json } from '../../core/json/path.ts'
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { instant, instantOrDay, recordId } from '../../shape/field.ts'
import { textList, name, scope, text } from './record-schema.ts'

const anyObject = z.record(z.string(), z.unknown())

const situation = {
  domain: name,
  actor: text(1000).optional(),
  channel: text(1000).optional(),
  context: anyObject.default({}),
  /** The current time in the situation; it may differ from `timestamp`. */
  now: instant.optional(),
}
const task = { goal: text(200_000), constraints: textList.default([]) }
const action = { type: name, parameters: anyObject.default({}), tools_used: textList.default([]) }
const result = {
  success: z.boolean(),
  outcome: anyObject.default({}),
  side_effects: z.array(z.unknown()).max(1000).default([]),
}
const metadata = {
  mode: z.enum(['interactive', 'autonomous', 'background']).default('interactive'),
  tags: textList.default([]),
  linked_traces: z.array(recordId).max(1000).default([]),
}

export const traceResult = z.strictObject(result)

/**
 * Input of `traces.store`. `timestamp`: time of the action; default now. A bare date means the beginning of its
 * day.
 */
export const traceInput = z.strictObject({
  id: recordId.optional(),
  timestamp: instantOrDay.optional(),
  situation: z.strictObject(situation),
  task: z.strictObject(task),
  action: z.strictObject(action),
  result: traceResult.optional(),
  metadata: z.strictObject(metadata).prefault({}),
  /** True: replaces the trace of the same id; its earlier version stays in the history. */
  replace: z.boolean().default(false),
  ...scope,
})

const traceBody = z.looseObject({
  timestamp: instant,
  situation: z.looseObject(situation),
  task: z.looseObject(task),
  action: z.looseObject(action),
  result: z.looseObject(result).optional(),
  metadata: z.looseObject(metadata),
})

export type TraceBody = z.output<typeof traceBody>

export const trace = z.looseObject({
  ...traceBody.shape,
  ...recordHead,
  kind: z.literal('trace'),
})

export type Trace = z.output<typeof trace>

/**
 * Adds a default member to `part`. A `part` that is not an object is returned unchanged; the schema then
 * rejects it.
 */
const withDefault = (name: string, value: string, part: Json = {}): Json =>
  isJsonObject(part) ? { [name]: value, ...part } : part

export const traceKind: Kind<'trace', TraceBody> = {
  name: 'trace',
  summary: 'One thing an agent did: situation, task, action, result.',
  version: 1,
  schema: traceBody,
  // The goal, action and result come before the circumstances, because a long text is cut at its end.
  text: [
    whenField,
    'task.goal',
    'action.type',
    'action.parameters',
    'result.outcome',
    'result.side_effects',
    'task.constraints',
    'action.tools_used',
    'situation.domain',
    'situation.actor',
    'situation.channel',
    'situation.context',
    'metadata.tags',
  ],
  facets: {
    happened_at: 'timestamp',
    domain: 'situation.domain',
    actor: 'situation.actor',
    action: 'action.type',
    success: 'result.success',
  },
  scopedBy: 'domain',
  // On a conflict the arriving version wins: the device that edits a trace did the action.
  policy: 'local_wins',
  // `links` hides ids from guests that may not see the traces. `cites` finds the traces that link to one, and
  // lets a cascading forget remove its id from them; these traces stay. No trace supersedes another.
  links: ['metadata.linked_traces'],
  cites: [{ path: 'metadata.linked_traces' }],
  // Adds the required fields to a body that another program wrote.
  complete: ({ situation, task, action, ...rest }) => ({
    metadata: {},
    ...rest,
    timestamp: rest['timestamp'] ?? rest['created_at'] ?? null,
    situation: withDefault('domain', 'general', situation),
    task: withDefault('goal', '', task),
    action: withDefault('type', 'unspecified', action),
  }),
}
