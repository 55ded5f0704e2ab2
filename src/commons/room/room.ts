// The chapter of the meeting room. The room itself is the engine's, because all tabs have a copy of it.
import { defineChapter } from '../../core/capability/chapter.ts'
import { roomCapabilities } from './room-capability.ts'

export const room = defineChapter({
  name: 'room',
  capabilities: roomCapabilities,
  kinds: [],
})
