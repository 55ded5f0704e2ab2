// What the P3394 memory specification gives as examples: a trace, the schemas of a domain, a message, a bundle.
import type { JsonObject } from '../../../src/core/json/path.ts'

/** The content of the message in section 13.4. */
export const traceContent = {
  situation: {
    domain: 'education.evaluation',
    actor: 'urn:principal:org:ieee:role:teacher:person:smith',
    channel: 'web',
    now: '2026-01-31T15:00:00.000Z',
  },
  task: { goal: 'Evaluate student submission', constraints: ['rubric-v2'] },
  action: {
    type: 'artifact_evaluation',
    parameters: { artifact_id: 'artifact-789', rubric_id: 'rubric-v2' },
  },
  result: { success: true, outcome: { score: 85, feedback: 'Good work on recursion examples' } },
} as const satisfies JsonObject

/** Section 13.4. */
export const storeTraceMessage = {
  id: 'msg-uuid-123',
  type: 'request',
  timestamp: '2026-01-31T15:00:00Z',
  source: { agent_id: 'ieee3394-exemplar', channel_id: 'web', session_id: 'sess-456' },
  destination: { agent_id: 'kstar-memory', capability_id: 'kstar:store_trace' },
  content: [{ type: 'json', data: traceContent }],
} as const

const texts = { type: 'array', items: { type: 'string' } }

/** Section 10.1. */
export const domainSchemas = {
  schemas: {
    learner_profile: {
      type: 'object',
      properties: {
        learning_style: { type: 'string', enum: ['visual', 'auditory', 'kinesthetic', 'reading'] },
        strengths: texts,
        growth_areas: texts,
        preferred_ai_tools: texts,
        study_patterns: {
          type: 'object',
          properties: { peak_hours: { type: 'array' }, session_length_preferred: { type: 'string' } },
        },
      },
    },
    teacher_profile: {
      type: 'object',
      properties: {
        teaching_style: { type: 'string' },
        feedback_tone: { type: 'string' },
        expertise_areas: texts,
      },
    },
  },
}
