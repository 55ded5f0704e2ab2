// The chapter of tasks and logs: the task queue, recurring tasks, and the logs of access and activity.
import { defineChapter } from '../core/capability/chapter.ts'
import { accessCapabilities, activityCapabilities } from './log-capability.ts'
import { recurringCapabilities, taskCapabilities } from './task/task-capability.ts'

export const logChapter = defineChapter({
  name: 'log',
  capabilities: [
    ...taskCapabilities,
    ...recurringCapabilities,
    ...accessCapabilities,
    ...activityCapabilities,
  ],
  kinds: [],
})
