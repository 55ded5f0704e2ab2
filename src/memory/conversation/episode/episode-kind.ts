// The kind `episode`: a stretch of conversation as a short summary, with keywords to find the stretch.
import { z } from 'zod'
import type { JsonObject } from '../../../core/json/path.ts'
import { type Kind, whenField } from '../../../core/kind.ts'
import { instant, recordId } from '../../../shape/field.ts'
import { historyLimits } from '../message/history.ts'
import { maxContentMatches, storedShape } from '../message/message-kind.ts'

/** Most characters of a keyword. */
export const maxKeywordLength = 200
/** Most keys of lines in one episode: up to two for each line. */
const maxLineKeys = 2 * historyLimits.messages
/** Most messages of one episode: a line without an id may match many, and each key may add one. */
const maxMessages = maxLineKeys + maxContentMatches

export const episodeBody = z.looseObject({
  summary: z.string().min(1).max(16_000),
  /** Most relevant first. */
  keywords: z.array(z.string().max(maxKeywordLength)).max(50).default([]),
  start_time: instant.optional(),
  end_time: instant.optional(),
  message_count: z.number().int().nonnegative().default(0),
  /** Ids of the messages of the episode that are records. */
  messages: z.array(recordId).max(maxMessages).default([]),
  /**
   * Keys of the lines that were no stored messages when the episode was made (message/message-kind.ts), up to two for
   * each line.
   */
  lines: z.array(z.string().max(100)).max(maxLineKeys).optional(),
  /** `extractive`: sentences of the conversation. `abstractive`: words of a language model. */
  method: z.enum(['extractive', 'abstractive']).default('extractive'),
})
export type EpisodeBody = z.output<typeof episodeBody>

export const episodeRecord = storedShape('episode', episodeBody)
export type Episode = z.output<typeof episodeRecord>

export const episodeKind: Kind<'episode', EpisodeBody> = {
  name: 'episode',
  idPrefix: 'episode::',
  summary: 'A stretch of conversation: its summary, its keywords, when it began and ended.',
  version: 1,
  schema: episodeBody,
  text: [whenField, 'summary', 'keywords'],
  facets: { happened_at: 'end_time' },
  policy: 'last_write_wins',
  links: ['messages'],
  cites: [{ path: 'messages' }],
  madeFrom: {
    of: ['message'],
    sources: ({ messages = [] }) => messages,
    // When a message with one of these keys arrives, `withSource` puts its id in place of the key.
    awaits: ({ lines = [] }) => lines,
    withSource: ({ messages = [], lines = [], ...body }, key, id) =>
      ({
        ...body,
        messages: [...new Set([...messages, id])].slice(-maxMessages),
        lines: lines.filter((lineKey) => lineKey !== key),
      }) as unknown as JsonObject,
    rebuildVerb: 'ks:rebuild',
  },
}
