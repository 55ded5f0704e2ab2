// Finds the lines of a history that are sensitive messages, so that no model outside this device gets them.
import { defined } from '../../../core/defined.ts'
import { filterLimits } from '../../../core/filter/filter.ts'
import { isSealing } from '../../../core/sealed.ts'
import type { HistoryLine } from './history.ts'
import { createMessageFinder, type RecordsContext } from './message-kind.ts'

type Line = Pick<HistoryLine, 'id' | 'content' | 'raw' | 'timestamp'>

/**
 * Returns a function that is true for a line of `lines` with a sensitive message, also an archived one. Each line is
 * looked for as its caller wrote it, trimmed, and with a line break at its end.
 */
export function createSensitiveFinder(
  { records }: RecordsContext,
  agent: string,
  lines: readonly Line[],
): (line: Line) => boolean {
  const messageIdsOf = createMessageFinder({ records }, agent, lines)
  const forms = lines.flatMap(({ content, raw = content }) => [raw, content, `${content}\n`])
  const contents = [...new Set(forms)].filter(({ length }) => length <= filterLimits.textLength)
  /** Times of the sensitive messages, by trimmed content. */
  const times = new Map<string, Set<unknown>>()
  for (let i = 0; i < contents.length; i += filterLimits.inValues) {
    const filters = { agent, content: { in: contents.slice(i, i + filterLimits.inValues) } }
    let cursor: string | undefined
    do {
      const include = { expired: true }
      const page = records.query({
        kind: 'message',
        filters,
        include,
        orderBy: 'id',
        limit: 1000,
        ...defined({ cursor }),
      })
      for (const { content, timestamp, sensitivity } of page.records) {
        const key = String(content).trim()
        if (isSealing(sensitivity)) times.set(key, (times.get(key) ?? new Set()).add(timestamp))
      }
      cursor = page.cursor
    } while (cursor !== undefined)
  }
  return (line) => {
    const found = times.get(line.content.trim())
    const isSameTime = line.timestamp === undefined || found?.has(line.timestamp)
    return (
      (found !== undefined && isSameTime === true) ||
      messageIdsOf(line).some((id) => isSealing(records.get(id)?.sensitivity))
    )
  }
}
