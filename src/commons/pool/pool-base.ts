// The chapter of the knowledge pool without its verbs.
import { defineChapterBase } from '../../core/capability/chapter.ts'
import { configKind } from './pool-config.ts'
import { ballotKind, clawKind, decisionKind, poolFactKind, poolProposalKind } from './pool-kind.ts'
import { PoolService } from './service/pool-service.ts'

export const poolBase = defineChapterBase({
  name: 'pool',
  kinds: [poolProposalKind, ballotKind, decisionKind, poolFactKind, clawKind, configKind],
  services: (deps) => [new PoolService(deps)],
})
