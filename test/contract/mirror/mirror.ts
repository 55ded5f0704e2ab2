// The law of sync between devices and their mirror, as tests: run over every database that a mirror can live in.
import { describe } from 'vitest'
import { backgroundCases } from './mirror-background.ts'
import { convergenceCases } from './mirror-convergence.ts'
import { deliveryCases } from './mirror-delivery.ts'
import { digestCases } from './mirror-digest.ts'
import { lateAnswerCases } from './conflict/late-answer.ts'
import { mergeCases } from './conflict/merge.ts'
import { markCases } from './mirror-mark.ts'
import { namesakeCases } from './mirror-namesake.ts'
import { policyCases } from './conflict/policy.ts'
import { partCases } from './conflict/part.ts'
import { latePurgeCases } from './conflict/late-purge.ts'
import { removalCases } from './conflict/removal.ts'
import { publishedCases } from './mirror-published.ts'
import { rivalCases } from './conflict/rival.ts'
import { refusalCases } from './mirror-refusal.ts'
import { restartCases } from './mirror-restart.ts'
import { runCases } from './mirror-run.ts'
import { directionCases } from './mirror-direction.ts'
import { selectionCases } from './mirror-selection.ts'
import { sealedCases } from './mirror-seal.ts'
import { sealedForgetCases } from './mirror-seal-forget.ts'
import { guardedCases } from './mirror-seal-guarded.ts'
import { sealedHeadCases } from './mirror-seal-head.ts'
import { versionCases } from './mirror-version.ts'
import { withdrawnCases } from './mirror-withdrawn.ts'
import type { DatabaseHost } from './mirror-world.ts'

export function mirrorContract(hostName: string, host: DatabaseHost): void {
  describe(`Sync: ${hostName}`, () => {
    convergenceCases(host)
    deliveryCases(host)
    runCases(host)
    policyCases(host)
    removalCases(host)
    latePurgeCases(host)
    partCases(host)
    publishedCases(host)
    rivalCases(host)
    mergeCases(host)
    lateAnswerCases(host)
    markCases(host)
    digestCases(host)
    selectionCases(host)
    directionCases(host)
    refusalCases(host)
    namesakeCases(host)
    restartCases(host)
    backgroundCases(host)
    sealedCases(host)
    sealedHeadCases(host)
    sealedForgetCases(host)
    guardedCases(host)
    versionCases(host)
    withdrawnCases(host)
  })
}
