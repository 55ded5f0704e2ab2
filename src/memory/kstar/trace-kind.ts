// The kind `trace`: episodic memory, what an agent did and what came of it.
import { type Kind, whenField } from '../../core/kind.ts'
import { traceBody, type TraceBody } from './trace-schema.ts'

export const traceKind: Kind<'trace', TraceBody> = {
  name: 'trace',
  summary: 'One thing an agent did: situation, task, action, result.',
  version: 1,
  schema: traceBody,
  text: [
    whenField,
    'situation.domain',
    'situation.actor',
    'situation.channel',
    'situation.context',
    'task.goal',
    'task.constraints',
    'action.type',
    'action.parameters',
    'action.tools_used',
    'result.outcome',
    'result.side_effects',
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
  sync: { push: true, pull: true },
  cites: [{ path: 'metadata.linked_traces' }],
}
