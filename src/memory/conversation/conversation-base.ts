// The chapter of conversations without its verbs: messages, the episodes in which they are archived, profiles of users,
// and cached answers.
import { defineChapterBase } from '../../core/capability/chapter.ts'
import { answerKind } from './answer/answer-kind.ts'
import { episodeKind } from './episode/episode-kind.ts'
import { messageKind } from './message/message-kind.ts'
import { profileKind } from './profile/profile-kind.ts'

export const conversationBase = defineChapterBase({
  name: 'conversation',
  kinds: [messageKind, episodeKind, profileKind, answerKind],
})
