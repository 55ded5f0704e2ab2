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

/** Section 5.1, with the places filled in that it leaves open, and without its checksum. */
export const specificationBundle = {
  format: 'kstar-bundle',
  version: '1.0.0',
  exported_at: '2026-01-31T15:00:00Z',
  agent: { id: 'agent-uuid', type: 'student_companion', version: '1.0.0' },
  memory: {
    traces: [{ id: 'trace-uuid', timestamp: '2025-09-01T00:00:00Z', ...traceContent }],
    perceptions: [
      { id: 'perception-uuid', type: 'preference', content: 'Prefers diagrams' },
      { id: 'perception-2', content: 'Works at night', created_at: '2026-01-02T00:00:00Z' },
    ],
    facts: [
      { id: 'fact-uuid', schema: 'education.learner_profile', data: { learning_style: 'visual' } },
      { id: 'fact-1', schema: 'education.study_pattern', data: { peak_hours: [20, 21.5] }, verified: true },
    ],
    skills: [
      {
        id: 'skill-uuid',
        name: 'grade_recursion',
        definition: { triggers: ['submission'] },
        maturity: { level: 'competent', success_rate: 0.75, usage_count: 4 },
      },
    ],
    control_tokens: [],
  },
  schemas_used: ['education.learner_profile', 'education.study_pattern'],
  statistics: {
    trace_count: 1,
    perception_count: 2,
    fact_count: 2,
    skill_count: 1,
    date_range: { earliest: '2025-09-01T00:00:00Z', latest: '2026-01-31T15:00:00Z' },
  },
} as const satisfies JsonObject

/** SHA-256 over the canonical JSON of the bundle above, as another program would reckon it. */
export const specificationChecksum = 'sha256:963c077bda646a394b6362d56a3f08d763fc43c10fb121dac9cad0c7fbe34747'
