// The chapter of agents that continue from day to day: personas, sessions, turns and thoughts; and digests, patterns
// and snapshots of their days. The verbs `katra:` follow Katra, another memory for agents.
import { defineChapter } from '../../core/capability/chapter.ts'
import { continuityBase } from './continuity-base.ts'
import { dayCapabilities } from './digest/day-capability.ts'
import { personaCapabilities } from './persona/persona-capability.ts'
import { sessionCapabilities } from './session/session-capability.ts'
import { turnCapabilities } from './session/turn-capability.ts'
import { snapshotCapabilities } from './snapshot/snapshot-capability.ts'
import { rebuildCapabilities } from './rebuild-capability.ts'
import { thoughtRecallCapabilities } from './thought/recall-capability.ts'
import { rememberCapabilities } from './thought/remember-capability.ts'

export const continuity = defineChapter({
  ...continuityBase,
  capabilities: [
    ...personaCapabilities,
    ...sessionCapabilities,
    ...turnCapabilities,
    ...rememberCapabilities,
    ...thoughtRecallCapabilities,
    ...dayCapabilities,
    ...snapshotCapabilities,
    ...rebuildCapabilities,
  ],
})
