// The chapter of the knowledge pool: facts that many claws confirmed by vote. A claw is an agent's name in the pool,
// `agent@book`.
import { defineChapter } from '../../core/capability/chapter.ts'
import { poolBase } from './pool-base.ts'
import { ownerCapabilities } from './verb/owner-capability.ts'
import { clawCapabilities } from './verb/claw-capability.ts'
import { listCapabilities } from './verb/list-capability.ts'
import { proposeCapabilities } from './verb/propose-capability.ts'

export const pool = defineChapter({
  ...poolBase,
  capabilities: [...proposeCapabilities, ...listCapabilities, ...clawCapabilities, ...ownerCapabilities],
})
