// A run without the texts of its sensitive records: what stays are their times, outcomes, links and numbers.
import { stepCost, stepMs, stepTokens } from '../../wording/run-word.ts'
import type { Entry } from './picture.ts'

export const isSensitive = ({ sensitivity }: Pick<Entry, 'sensitivity'>): boolean =>
  sensitivity === 'sensitive' || sensitivity === 'restricted'

/** `entries` with empty texts in the sensitive ones. */
export function withoutSensitive(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => (isSensitive(entry) ? emptied(entry) : entry))
}

/** The tool of a step whose text is left out. */
export const leftOutTool = '(sensitive)'

function emptied(entry: Entry): Entry {
  const { id, created_at, updated_at, ver, agent, timestamp, sensitivity } = entry
  const head = { id, created_at, updated_at, ver, agent, timestamp, sensitivity }
  if (entry.kind === 'message')
    return { ...head, kind: 'message', content: '', source: { type: entry.source.type } } as Entry
  const { result, metadata } = entry
  const numbers = {
    durationMs: stepMs(entry),
    usage: { total_tokens: stepTokens(entry), cost_usd: stepCost(entry) },
  }
  return {
    ...head,
    kind: 'trace',
    situation: { domain: '', context: {} },
    task: { goal: '', constraints: [] },
    action: { type: leftOutTool, parameters: {}, tools_used: [] },
    ...(result ? { result: { success: result.success, outcome: numbers, side_effects: [] } } : {}),
    metadata: { mode: metadata.mode, tags: [], linked_traces: metadata.linked_traces },
  } as Entry
}
