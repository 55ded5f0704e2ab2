// The chapter of the mirror: syncing now, conflicts, and what was not acknowledged.
import { defineChapter } from '../core/capability/chapter.ts'
import { syncCapabilities } from './sync-capability.ts'

export const sync = defineChapter({
  name: 'sync',
  capabilities: syncCapabilities,
  kinds: [],
})
