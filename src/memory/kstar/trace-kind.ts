// The kind `trace`: episodic memory, what an agent did and what came of it.
import { type Kind, whenField } from '../../core/kind.ts'
import { isJsonObject, type Json } from '../../core/json/path.ts'
import { traceBody, type TraceBody } from './trace-schema.ts'

/** `part` with this member where it has none; what is no object is left for the schema to refuse. */
const withDefault = (name: string, value: string, part: Json = {}): Json =>
  isJsonObject(part) ? { [name]: value, ...part } : part

export const traceKind: Kind<'trace', TraceBody> = {
  name: 'trace',
  summary: 'One thing an agent did: situation, task, action, result.',
  version: 1,
  schema: traceBody,
  // What was done comes first: a quotation is cut at its end.
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
  // Traces are this device's own account of what it did.
  policy: 'local_wins',
  links: ['metadata.linked_traces'],
  cites: [{ path: 'metadata.linked_traces' }],
  complete: ({ situation, task, action, ...rest }) => ({
    metadata: {},
    ...rest,
    timestamp: rest['timestamp'] ?? rest['created_at'] ?? null,
    situation: withDefault('domain', 'general', situation),
    task: withDefault('goal', '', task),
    action: withDefault('type', 'unspecified', action),
  }),
}
