// The chapter of agents that continue from day to day: personas, sessions and turns, thoughts, and their days as
// digests, patterns and snapshots.
import { defineChapter } from '../../core/capability/chapter.ts'
import { dayCapabilities } from './digest/day-capability.ts'
import { digestKind, patternKind } from './digest/digest-kind.ts'
import { personaCapabilities } from './persona/persona-capability.ts'
import { personaKind } from './persona/persona-kind.ts'
import { sessionCapabilities } from './session/session-capability.ts'
import { sessionKind, turnKind } from './session/session-kind.ts'
import { turnCapabilities } from './session/turn-capability.ts'
import { snapshotCapabilities } from './snapshot/snapshot-capability.ts'
import { snapshotKind } from './snapshot/snapshot-kind.ts'
import { rebuildCapabilities } from './rebuild-capability.ts'
import { thoughtRecallCapabilities } from './thought/recall-capability.ts'
import { rememberCapabilities } from './thought/remember-capability.ts'
import { thoughtKind } from './thought/thought-kind.ts'

export const continuity = defineChapter({
  name: 'continuity',
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
  kinds: [personaKind, sessionKind, turnKind, thoughtKind, digestKind, patternKind, snapshotKind],
})
