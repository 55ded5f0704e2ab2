// The chapter of archives: a book put away, whole, where its owner keeps such things. It keeps no records of its own.
import { defineChapter } from '../../core/capability/chapter.ts'
import { archiveCapabilities } from './archive-capability.ts'

export const archive = defineChapter({ name: 'archive', capabilities: archiveCapabilities, kinds: [] })
