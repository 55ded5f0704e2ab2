// The chapter of finding again: recall, what is packed into a prompt, and the vectors behind it.
import { defineChapter } from '../core/capability/chapter.ts'
import { contextCapabilities } from './context-capability.ts'
import { embedCapabilities } from './embed/embed-capability.ts'
import { recallCapabilities } from './recall-capability.ts'

export const recall = defineChapter({
  name: 'recall',
  capabilities: [...recallCapabilities, ...contextCapabilities, ...embedCapabilities],
  kinds: [],
})
