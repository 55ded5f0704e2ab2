// The verbs of episodes: archive, list, delete.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import { recordId, scopeName } from '../../../shape/field.ts'
import { archiveEpisode, type ArchiveLine, unarchivedLines } from './archive-episode.ts'
import { conversationScope, listVerb, storageScope } from '../message/conversation-scope.ts'
import { episodeRecord } from './episode-kind.ts'
import { history, historyLimits } from '../message/history.ts'

/**
 * Keeps the first lines, up to the most characters of one history; the next episode has the rest. Once a line
 * doesn't fit, no later line is included, because its length stays in the sum.
 */
function withinCharacterLimit(lines: readonly ArchiveLine[]): ArchiveLine[] {
  let characters = 0
  return lines.filter(({ content }) => (characters += content.length) <= historyLimits.characters)
}

export const episodeCapabilities = [
  defineCapability({
    id: 'ks:archive_episode',
    permission: 'write',
    methods: ['conversation.archive'],
    summary:
      'Archives a stretch of conversation as an episode: a summary and keywords, by a language model if there is one, else by extraction.',
    input: z
      .strictObject({
        ...conversationScope,
        /** Default: the messages of the session that are not archived yet, at most 1,000. */
        history: history.optional(),
      })
      .refine(({ history: lines, session }) => lines !== undefined || session !== undefined, {
        path: ['history'],
        message: 'is required without a session',
      }),
    output: z.object({
      ok: z.boolean(),
      episodeId: z.string().optional(),
      skipped: z.boolean().optional(),
      /** Reason if no episode was made: `empty history`, `duplicate history`. */
      reason: z.enum(['empty history', 'duplicate history']).optional(),
      /** `extractive`: sentences of the history. `abstractive`: words of a model. */
      method: z.enum(['extractive', 'abstractive']).optional(),
      /** Reason why the summary is extractive although the book has a model. */
      degraded: z.string().optional(),
    }),
    effect: 'task',
    repeatable: true,
    // recall: its language model.
    uses: ['records', 'recall'],
    async run({ history: givenLines, ...scopeInput }, at) {
      const scope = storageScope(scopeInput, at.call)
      const lines = givenLines ?? withinCharacterLimit(unarchivedLines(at, scope, historyLimits.messages))
      const archived = await archiveEpisode(at, scope, lines)
      if (!archived) return { ok: true, skipped: true, reason: 'empty history' as const }
      // `details`: `method` and `degraded` of the output.
      const { id: episodeId, isNew, ...details } = archived
      return {
        ok: true,
        episodeId,
        ...details,
        ...(isNew ? {} : { skipped: true, reason: 'duplicate history' as const }),
      }
    },
  }),
  listVerb('episode', episodeRecord, {
    id: 'ks:list_episodes',
    method: 'conversation.episodes',
    summary:
      'Lists episodes, newest first unless asked otherwise, a page at a time; of all agents unless one is named.',
  }),
  defineCapability({
    id: 'ks:delete_episode',
    permission: 'forget',
    methods: ['conversation.forgetEpisode'],
    summary: 'Forgets one episode of an agent; its messages stay.',
    input: z.strictObject({ agent: scopeName.optional(), id: recordId }),
    output: z.object({ ok: z.boolean(), deletedId: z.string() }),
    effect: 'write',
    uses: ['records'],
    run({ agent: agentName, id }, at) {
      const agent = agentName ?? at.call.scope.agent
      const found = at.records.get(id)
      if (found?.kind !== 'episode' || found.agent !== agent) {
        throw new DaybookError('not-found', `There is no episode \`${id}\` of agent \`${agent}\`.`, {
          details: { path: 'id' },
        })
      }
      at.records.forget(id)
      return { ok: true, deletedId: id }
    },
  }),
] as const
