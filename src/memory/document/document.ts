// The chapter of documents, which programs keep under names: the adapters' files and items.
import { defineChapter } from '../../core/capability/chapter.ts'
import { documentCapabilities } from './document-capability.ts'
import { documentKind } from './document-kind.ts'

export const document = defineChapter({
  name: 'document',
  capabilities: documentCapabilities,
  kinds: [documentKind],
})
