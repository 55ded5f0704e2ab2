// The chapter of checkpoints: where runs of programs go on.
import { defineChapter } from '../../core/capability/chapter.ts'
import { checkpointCapabilities } from './checkpoint-capability.ts'
import { checkpointKind, checkpointPartKind, checkpointWriteKind } from './checkpoint-kind.ts'

export const checkpoint = defineChapter({
  name: 'checkpoint',
  capabilities: checkpointCapabilities,
  kinds: [checkpointKind, checkpointPartKind, checkpointWriteKind],
})
