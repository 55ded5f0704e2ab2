// The embedder of a book in Node whose options name none: the table of the package.
// Invariant: it never replaces the vectors of another embedder, which somebody chose and may have paid for.
import type { Embedder } from '../../../core/ports.ts'
import type { EmbedderSource } from '../../../recall/embed/create-embedder.ts'
import type { NoEmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { nodeEmbedder } from './node-embedder.ts'

const provider = 'meaning'

/** No embedder, for a process that doesn't mind if the owner of its book has one. */
export const noneIfOwner: NoEmbedderOptions = { provider: 'none' }

/** The source of the packaged table. It waits in a book that has the vectors of another provider. */
export function defaultEmbedderSource(): EmbedderSource | undefined {
  const source = nodeEmbedder({ provider })
  return source && { ...source, open: (parts) => yieldTo(parts.fingerprint, source.open(parts)) }
}

/** `fingerprint`: of the vectors that the book has; undefined if it never had any. */
function yieldTo(fingerprint: () => string | undefined, embedder: Embedder): Embedder {
  const reason = () => {
    const [other, otherModel] = fingerprint()?.split('|') ?? [provider]
    if (other === provider) return undefined
    return `This book has vectors of \`${other}|${otherModel}\`, and was opened without \`embedder\`: words answer. Open it with that embedder, or with \`{ provider: '${provider}' }\`, which replaces them.`
  }
  return Object.create(embedder, { waiting: { get: () => reason() ?? embedder.waiting } }) as Embedder
}
