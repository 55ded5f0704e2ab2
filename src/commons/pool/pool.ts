// The chapter of the knowledge pool: what many agents have confirmed by vote.
import { defineChapter } from '../../core/capability/chapter.ts'
import { configKind } from './pool-config.ts'
import { ballotKind, clawKind, decisionKind, factKind, proposalKind } from './pool-kind.ts'
import { PoolService } from './service/pool-service.ts'
import { admissionCapabilities, takeInCapabilities, tellAnewCapabilities } from './verb/owner-capability.ts'
import { clawCapabilities } from './verb/claw-capability.ts'
import { listCapabilities } from './verb/list-capability.ts'
import { proposeCapabilities } from './verb/propose-capability.ts'

export const pool = defineChapter({
  name: 'pool',
  capabilities: [
    ...proposeCapabilities,
    ...listCapabilities,
    ...clawCapabilities,
    ...admissionCapabilities,
    ...takeInCapabilities,
    ...tellAnewCapabilities,
  ],
  kinds: [proposalKind, ballotKind, decisionKind, factKind, clawKind, configKind],
  services: (parts) => [new PoolService(parts)],
})
