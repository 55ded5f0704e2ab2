// The engine's own chapter: its task queue, the log of access, and what state the book is in.
import { defineChapter } from '../core/capability/chapter.ts'
import { accessCapabilities } from './access-capability.ts'
import { engineCapabilities } from './status-capability.ts'
import { recurringCapabilities } from './task/recurring-capability.ts'
import { taskCapabilities } from './task/task-capability.ts'

export const engineChapter = defineChapter({
  name: 'engine',
  capabilities: [
    ...taskCapabilities,
    ...recurringCapabilities,
    ...accessCapabilities,
    ...engineCapabilities,
  ],
  kinds: [],
})
