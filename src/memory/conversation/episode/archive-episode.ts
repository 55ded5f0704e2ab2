// Makes an episode of a stretch of conversation.
// Invariant: the id of an episode follows from what was said, so archiving the same stretch twice makes one episode.
import type { TaskContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { EpisodeBody } from './episode-kind.ts'
import { type Line, spanOf } from '../message/history.ts'
import { keywordsOf } from './keyword.ts'
import { askSummary } from './ask-summary.ts'
import type { Message } from '../message/message-schema.ts'
import { namedMessage, wordedRecord } from '../record-name.ts'
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
export type ArchiveLine = Line & { readonly record?: string }

/** Archives `lines`; undefined when nothing was said in them. */
export async function archiveEpisode(
  at: TaskContext<'records' | 'recall'>,
  scope: MessageScope,
  lines: readonly ArchiveLine[],
): Promise<Archived | undefined> {
  const said = lines.filter(({ content }) => /[\p{L}\p{N}]/u.test(content))
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
  const abstract = await abstractOf(at, said)
  const body = {
    summary: abstract.summary,
    keywords: abstract.keywords,
    ...spanOf(said),
    message_count: said.length,
    method: abstract.method,
  }
  const id = await at.records.write(({ records }) => {
    const messages = said.flatMap(({ id: msgId, record }) => {
      if (record === undefined) return msgId ? (records.find(namedMessage(scope.agent, msgId))?.id ?? []) : []
      return records.get(record)?.kind === 'message' ? [record] : []
    })
    const full = { ...body, messages: [...new Set(messages)] } as unknown as JsonObject
    return records.put({ kind: 'episode', name, body: full, scope })
  })
  return {
    id,
    isNew: true,
    method: abstract.method,
    ...(abstract.degraded === undefined ? {} : { degraded: abstract.degraded }),
  }
}

interface EpisodeAbstract extends Pick<EpisodeBody, 'summary' | 'keywords' | 'method'> {
  readonly degraded?: string
}

async function abstractOf(
  { call: { signal, attempt }, recall: { llm } }: TaskContext<'recall'>,
  said: readonly Line[],
): Promise<EpisodeAbstract> {
  const extract = () => ({
    summary: summarise(said),
    keywords: keywordsOf(said),
    method: 'extractive' as const,
  })
  if (!llm) return extract()
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

/** The messages of a session that no episode tells of yet, oldest first, as many as fit into one. */
export function unarchived(
  { records }: Pick<TaskContext<'records'>, 'records'>,
  { agent, session }: MessageScope,
  limit: number,
): ArchiveLine[] {
  const filters = { agent, session }
  const [last] = records.query({ kind: 'episode', filters, orderBy: '-end_time', limit: 1 }).records
  const end = last?.['end_time']
  const later = typeof end === 'string' ? { timestamp: { gt: end } } : {}
  const page = records.query({
    kind: 'message',
    filters: { ...filters, ...later },
    orderBy: 'timestamp',
    limit,
  })
  return (page.records as unknown as Message[]).map(({ id, content, source, timestamp }) => ({
    record: id,
    content: content.trim(),
    source,
    timestamp,
  }))
}
