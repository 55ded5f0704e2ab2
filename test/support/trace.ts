// A small trace for tests; what a test is about is passed in and laid over it.
import type { CapabilityInput } from '../../src/book/daybook.ts'

export type TraceInput = CapabilityInput<'kstar:store_trace'>

export function makeTrace(over: Partial<TraceInput> = {}): TraceInput {
  return {
    situation: {
      domain: 'education.evaluation',
      actor: 'teacher:smith',
      channel: 'web',
      context: { course: 'CS101' },
    },
    task: { goal: 'Evaluate the recursion exercise', constraints: ['rubric-v2'] },
    action: { type: 'artifact_evaluation', parameters: { artifact_id: 'a-789' }, tools_used: ['grader'] },
    result: { success: true, outcome: { score: 85, feedback: 'Good base case' }, side_effects: [] },
    ...over,
  }
}
