// The engine's own chapter: its task queue, and what state the book is in.
import { defineChapter } from '../core/capability/chapter.ts'
import { engineCapabilities } from './status-capability.ts'
import { taskCapabilities } from './task/task-capability.ts'

export const engineChapter = defineChapter({
  name: 'engine',
  capabilities: [...taskCapabilities, ...engineCapabilities],
  kinds: [],
})
