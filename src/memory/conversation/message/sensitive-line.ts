// Finds the lines of a conversation that are sensitive or contain a secret, so that no model outside this device gets them.
import { isSealing } from '../../../core/sealed.ts'
import { createSensitiveTextFinder } from '../../../shape/sensitive-text.ts'
import type { HistoryLine } from './history.ts'
import { createMessageFinder, type RecordsContext } from './message-kind.ts'

type Line = Pick<HistoryLine, 'id' | 'content' | 'timestamp' | 'source'>

/**
 * Returns a function that is true for a line of `lines` that has a secret of known form or the id of a sensitive message
 * of `agent`, or repeats a sensitive record (shape/sensitive-text.ts).
 */
export function createSensitiveFinder(
  { records }: RecordsContext,
  agent: string,
  lines: readonly Line[],
): (line: Line) => boolean {
  const messageIdsOf = createMessageFinder({ records }, agent, lines)
  const repeatsSensitive = createSensitiveTextFinder(
    records,
    lines.map(({ content }) => content),
  )
  return (line) =>
    records.masked(line) !== line ||
    repeatsSensitive(line.content, line.timestamp) ||
    messageIdsOf(line).some((id) => isSealing(records.get(id)?.sensitivity))
}
