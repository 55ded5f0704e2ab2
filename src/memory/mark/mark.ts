// The chapter of marks.
import { defineChapter } from '../../core/capability/chapter.ts'
import { markCapabilities } from './mark-capability.ts'
import { markKind } from './mark-kind.ts'

export const mark = defineChapter({ name: 'mark', capabilities: markCapabilities, kinds: [markKind] })
