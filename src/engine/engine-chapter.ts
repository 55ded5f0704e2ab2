// The engine's own chapter: its task queue, the log of access, its activity, what state the book is in, and its end.
import { defineChapter } from '../core/capability/chapter.ts'
import { accessCapabilities } from './access-capability.ts'
import { activityCapabilities } from './activity-capability.ts'
import { endCapabilities } from './end-capability.ts'
import { engineCapabilities } from './status-capability.ts'
import { recurringCapabilities } from './task/recurring-capability.ts'
import { taskCapabilities } from './task/task-capability.ts'

export const engineChapter = defineChapter({
  name: 'engine',
  capabilities: [
    ...taskCapabilities,
    ...recurringCapabilities,
    ...accessCapabilities,
    ...activityCapabilities,
    ...engineCapabilities,
    ...endCapabilities,
  ],
  kinds: [],
})
