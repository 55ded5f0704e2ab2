// The chapter of what was said: messages, the episodes they are archived as, profiles of users, answers that are kept.
import { defineChapter } from '../../core/capability/chapter.ts'
import { agentDataCapabilities } from './agent-data-capability.ts'
import { answerCapabilities } from './answer/answer-capability.ts'
import { answerKind } from './answer/answer-kind.ts'
import { episodeCapabilities } from './episode/episode-capability.ts'
import { episodeKind } from './episode/episode-kind.ts'
import { messageCapabilities } from './message/message-capability.ts'
import { messageKind } from './message/message-kind.ts'
import { conversationRecallCapabilities } from './message/recall-capability.ts'
import { profileCapabilities } from './profile/profile-capability.ts'
import { profileKind } from './profile/profile-kind.ts'
import { tellAnewCapabilities } from './tell-anew-capability.ts'

export const conversation = defineChapter({
  name: 'conversation',
  capabilities: [
    ...messageCapabilities,
    ...conversationRecallCapabilities,
    ...episodeCapabilities,
    ...profileCapabilities,
    ...answerCapabilities,
    ...agentDataCapabilities,
    ...tellAnewCapabilities,
  ],
  kinds: [messageKind, episodeKind, profileKind, answerKind],
})
