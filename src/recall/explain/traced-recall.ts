// A recall with its stages.
import type { RecallQuery, RecallResult } from '../../core/capability/port/recall-port.ts'
import type { RecallTrace } from '../trace.ts'
import type { RecallParts } from './recall-parts.ts'

export interface TracedRecall {
  readonly result: RecallResult
  readonly trace: RecallTrace
}

/** Recalls `query` as the caller would, and returns the stages too. */
export async function recallWithTrace(
  { recall, signal }: Pick<RecallParts, 'recall' | 'signal'>,
  query: RecallQuery,
): Promise<TracedRecall> {
  let trace: RecallTrace | undefined
  const result = await recall(query, signal, (stages) => {
    trace = stages
  })
  if (!trace) throw new Error('Recall gave no stages.')
  return { result, trace }
}
