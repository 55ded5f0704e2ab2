// The one table: every verb of the system and every kind of record. All doors, and the types of a book, come from here.
import { bundleCapabilities } from '../bundle/bundle-capability.ts'
import { exportCapabilities } from '../bundle/export-capability.ts'
import { fileCapabilities } from '../bundle/file-capability.ts'
import { importCapabilities } from '../bundle/import-capability.ts'
import { inboxCapabilities } from '../commons/inbox/inbox-capability.ts'
import { inboxKind } from '../commons/inbox/inbox-kind.ts'
import { roomCapabilities } from '../commons/room/room-capability.ts'
import { createKinds } from '../core/kind.ts'
import { engineCapabilities } from './status-capability.ts'
import { taskCapabilities } from './task/task-capability.ts'
import { agentDataCapabilities } from '../memory/conversation/agent-data-capability.ts'
import { episodeKind } from '../memory/conversation/episode/episode-kind.ts'
import { answerCapabilities } from '../memory/conversation/answer/answer-capability.ts'
import { answerKind } from '../memory/conversation/answer/answer-kind.ts'
import { episodeCapabilities } from '../memory/conversation/episode/episode-capability.ts'
import { profileCapabilities } from '../memory/conversation/profile/profile-capability.ts'
import { messageCapabilities } from '../memory/conversation/message/message-capability.ts'
import { messageKind } from '../memory/conversation/message/message-kind.ts'
import { profileKind } from '../memory/conversation/profile/profile-kind.ts'
import { conversationRecallCapabilities } from '../memory/conversation/message/recall-capability.ts'
import { browseCapabilities } from '../memory/kstar/browse-capability.ts'
import { definitionCapabilities } from '../memory/kstar/definition/definition-capability.ts'
import { definitionKinds } from '../memory/kstar/definition/definition-kind.ts'
import { factCapabilities } from '../memory/kstar/fact-capability.ts'
import { factKind } from '../memory/kstar/fact-kind.ts'
import { perceptionCapabilities } from '../memory/kstar/perception-capability.ts'
import { perceptionKind } from '../memory/kstar/perception-kind.ts'
import { recordCapabilities } from '../memory/kstar/record-capability.ts'
import { skillCapabilities } from '../memory/kstar/skill-capability.ts'
import { skillKind } from '../memory/kstar/skill-kind.ts'
import { traceCapabilities } from '../memory/kstar/trace-capability.ts'
import { traceKind } from '../memory/kstar/trace-kind.ts'
import { embedCapabilities } from '../recall/embed/embed-capability.ts'
import { contextCapabilities } from '../recall/context-capability.ts'
import { recallCapabilities } from '../recall/recall-capability.ts'
import { syncCapabilities } from '../sync/sync-capability.ts'
import { accessKeyCapabilities } from '../trust/access-key-capability.ts'
import { accessKeyKind } from '../trust/access-key-kind.ts'
import { sealCapabilities } from '../trust/seal-capability.ts'
import { tokenCapabilities } from '../trust/token-capability.ts'
import { keyKind, tokenKind } from '../trust/token-kind.ts'

export const capabilityTable = [
  ...traceCapabilities,
  ...perceptionCapabilities,
  ...factCapabilities,
  ...skillCapabilities,
  ...definitionCapabilities,
  ...recordCapabilities,
  ...browseCapabilities,
  ...tokenCapabilities,
  ...accessKeyCapabilities,
  ...sealCapabilities,
  ...messageCapabilities,
  ...conversationRecallCapabilities,
  ...episodeCapabilities,
  ...profileCapabilities,
  ...answerCapabilities,
  ...agentDataCapabilities,
  ...recallCapabilities,
  ...contextCapabilities,
  ...embedCapabilities,
  ...exportCapabilities,
  ...bundleCapabilities,
  ...importCapabilities,
  ...roomCapabilities,
  ...inboxCapabilities,
  ...fileCapabilities,
  ...syncCapabilities,
  ...taskCapabilities,
  ...engineCapabilities,
] as const

export type CapabilityTable = typeof capabilityTable

export const kinds = createKinds([
  tokenKind,
  keyKind,
  accessKeyKind,
  traceKind,
  perceptionKind,
  factKind,
  skillKind,
  ...definitionKinds,
  messageKind,
  episodeKind,
  profileKind,
  answerKind,
  inboxKind,
])
