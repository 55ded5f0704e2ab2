// The chapter of the knowledge pool: facts that many agents have confirmed by vote.
import { defineChapter } from '../../core/capability/chapter.ts'
import { configKind } from './pool-config.ts'
import { ballotKind, clawKind, decisionKind, poolFactKind, poolProposalKind } from './pool-kind.ts'
import { PoolService } from './service/pool-service.ts'
import { ownerCapabilities } from './verb/owner-capability.ts'
import { clawCapabilities } from './verb/claw-capability.ts'
import { listCapabilities } from './verb/list-capability.ts'
import { proposeCapabilities } from './verb/propose-capability.ts'

export const pool = defineChapter({
  name: 'pool',
  capabilities: [...proposeCapabilities, ...listCapabilities, ...clawCapabilities, ...ownerCapabilities],
  kinds: [poolProposalKind, ballotKind, decisionKind, poolFactKind, clawKind, configKind],
  services: (parts) => [new PoolService(parts)],
})
