// Makes an episode of a stretch of conversation.
// Invariant: the id of an episode follows from what was said, so archiving the same stretch twice makes one episode.
import type { TaskContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { isSealing } from '../../../core/sealed.ts'
import type { EpisodeBody } from './episode-kind.ts'
import { type Line, spanOf } from '../message/history.ts'
import { keywordsOf } from './keyword.ts'
import { askSummary } from './ask-summary.ts'
import { keptFromModel } from '../../../shape/llm/ask.ts'
import { isUnderstood } from '../../../core/capability/understood.ts'
import { messageKind } from '../message/message-kind.ts'
import type { Message } from '../message/message-schema.ts'
import { createLineMessages, lineKeys } from '../message/line-message.ts'
import { wordedRecord } from '../record-name.ts'
import { type MessageScope } from '../message/store-message.ts'
import { summarise } from './summarise.ts'

export interface Archived {
  readonly id: string
  readonly isNew: boolean
  readonly method: EpisodeBody['method']
  /** Why the summary is extractive although there is a model. */
  readonly degraded?: string
}

/** A line, with the record it comes from where that is known. */
export type ArchiveLine = Line & { readonly record?: string; readonly isSensitive?: boolean }

/** What is said of lines in an episode. */
type Told = Pick<
  EpisodeBody,
  'summary' | 'keywords' | 'start_time' | 'end_time' | 'message_count' | 'method'
> & {
  /** Why the summary is extractive although there is a model. */
  readonly degraded?: string
}

/** Archives `lines`; undefined when nothing was said in them. */
export async function archiveEpisode(
  at: TaskContext<'records' | 'recall'>,
  scope: MessageScope,
  lines: readonly ArchiveLine[],
): Promise<Archived | undefined> {
  const said = lines.filter(saysSomething)
  if (said.length === 0) return undefined
  const words = said.flatMap(({ source, timestamp = '', content }) => [
    JSON.stringify(source),
    timestamp,
    content,
  ])
  const name = wordedRecord('episode', scope.agent, [scope.session ?? '', ...words])
  const known = at.records.find(name)
  if (known)
    return {
      id: known.id,
      isNew: false,
      method: known['method'] === 'abstractive' ? 'abstractive' : 'extractive',
    }
  const messagesOf = recordsOf(at, scope, lines)
  const messages = [...new Set(lines.flatMap(messagesOf))]
  const unstored = said.filter((line) => line.record === undefined && messagesOf(line).length === 0)
  const keys = [...new Set(unstored.flatMap((line) => lineKeys(scope.agent, line)))]
  const { degraded, ...told } = await tellEpisode(at, markSensitive(at, lines, messagesOf))
  const id = await at.records.write(({ records }) => {
    // What was forgotten while the model thought stands in no episode: the next task finds it outdated.
    const body = { ...told, messages, ...(keys.length > 0 ? { lines: keys } : {}) } as unknown as JsonObject
    return records.put({ kind: 'episode', name, body, scope })
  })
  return { id, isNew: true, method: told.method, ...(degraded === undefined ? {} : { degraded }) }
}

/** The messages that a line comes from, where those are records. */
function recordsOf(
  at: Pick<TaskContext<'records'>, 'records'>,
  { agent }: MessageScope,
  lines: readonly ArchiveLine[],
): (line: ArchiveLine) => string[] {
  const messagesOf = createLineMessages(
    at,
    agent,
    lines.filter(({ record }) => record === undefined),
  )
  return (line) => {
    const { record } = line
    if (record === undefined) return messagesOf(line)
    return at.records.get(record)?.kind === 'message' ? [record] : []
  }
}

/** Lines that callers gave, with what the records behind them say of how sensitive they are. */
function markSensitive(
  at: Pick<TaskContext<'records'>, 'records'>,
  lines: readonly ArchiveLine[],
  messagesOf: (line: ArchiveLine) => string[],
): ArchiveLine[] {
  return lines.map((line) => {
    const ids = line.isSensitive === undefined ? messagesOf(line) : []
    if (ids.length === 0) return line
    return { ...line, isSensitive: ids.some((id) => isSealing(at.records.get(id)?.sensitivity)) }
  })
}

/** What an episode of `lines` says, by the model if there is one that may read them and answers. */
export async function tellEpisode(at: TaskContext<'recall'>, lines: readonly ArchiveLine[]): Promise<Told> {
  const said = lines.filter(saysSomething)
  return { ...(await abstractOf(at, said)), ...spanOf(said), message_count: said.length }
}

interface EpisodeAbstract extends Pick<EpisodeBody, 'summary' | 'keywords' | 'method'> {
  readonly degraded?: string
}

async function abstractOf(
  { call: { signal, attempt }, recall: { llm } }: TaskContext<'recall'>,
  said: readonly ArchiveLine[],
): Promise<EpisodeAbstract> {
  const extract = () => ({
    summary: summarise(said),
    keywords: keywordsOf(said),
    method: 'extractive' as const,
  })
  if (!llm) return extract()
  if (!llm.takesSensitive && said.some(({ isSensitive }) => isSensitive))
    return { ...extract(), degraded: keptFromModel }
  const asked = await askSummary(llm, said, signal)
  if (asked.failed === undefined) {
    const { summary, keywords } = asked.value
    const own = keywords.length > 0 ? keywords : keywordsOf(said)
    return { summary, keywords: own.slice(0, 50), method: 'abstractive' }
  }
  // In the queue there is time to ask again.
  if (asked.retry && attempt && !attempt.isLast) throw new DaybookError('model-unavailable', asked.failed)
  return { ...extract(), degraded: asked.failed }
}

/**
 * The messages of a session from which no episode was made, whenever they were said or came, oldest first; as many as fit
 * into one. Messages without a word count only beside others.
 */
export function unarchived(
  { records }: Pick<TaskContext<'records'>, 'records'>,
  { agent, session }: MessageScope,
  limit: number,
): ArchiveLine[] {
  for (let cursor: string | undefined; ;) {
    const page = records.query({
      kind: 'message',
      filters: { agent, session },
      notIn: 'episode',
      orderBy: 'timestamp',
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    })
    const understood = page.records.filter((record) => isUnderstood(messageKind, record))
    const lines = (understood as unknown as Message[]).map(lineOf)
    if (page.cursor === undefined || lines.some(saysSomething)) return lines
    cursor = page.cursor
  }
}

/** A message as a line of a history. */
export function lineOf({ id, content, source, timestamp, sensitivity }: Message): ArchiveLine {
  return { record: id, content: content.trim(), source, timestamp, isSensitive: isSealing(sensitivity) }
}

function saysSomething({ content }: Line): boolean {
  return /[\p{L}\p{N}]/u.test(content)
}
