// The chapter of continuity without its verbs: its kinds and its upkeep.
import { defineChapterBase } from '../../core/capability/chapter.ts'
import { digestKind, patternKind } from './digest/digest-kind.ts'
import { personaKind } from './persona/persona-kind.ts'
import { sessionKind, turnKind, upkeepTask } from './session/session-kind.ts'
import { snapshotKind } from './snapshot/snapshot-kind.ts'
import { thoughtKind } from './thought/thought-kind.ts'

export const continuityBase = defineChapterBase({
  name: 'continuity',
  kinds: [personaKind, sessionKind, turnKind, thoughtKind, digestKind, patternKind, snapshotKind],
  recurring: [upkeepTask],
})
