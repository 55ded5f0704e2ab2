// The kind `perception`: declarative memory, what an agent has noticed or believes.
import { type Kind, whenField } from '../../core/kind.ts'
import { perceptionBody, type PerceptionBody } from './perception-schema.ts'

export const perceptionKind: Kind<'perception', PerceptionBody> = {
  name: 'perception',
  complete: (body) => ({ type: 'observation', confidence: 1, evidence: [], ...body }),
  summary: 'Something noticed or believed about a subject: how surely, on what evidence, until when.',
  version: 1,
  schema: perceptionBody,
  text: [whenField, 'type', 'subject', 'content'],
  facets: { subject: 'subject', confidence: 'confidence' },
  scopedBy: 'subject',
  // Two devices may each find evidence, or become surer.
  policy: 'merge',
  expires: 'valid_until',
  links: ['evidence'],
  cites: [{ path: 'evidence', rests: () => true }],
}
