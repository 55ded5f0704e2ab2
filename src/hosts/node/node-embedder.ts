// Embedders in Node, over its own fetch.
import { embedderSource } from '../../recall/embed/create-embedder.ts'
import { type EmbedCaller, fetchOf } from '../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
import { nodePorts } from './node-ports.ts'

/** What embedders need of Node. */
export const nodeEmbedderHost: EmbedCaller = { fetch: fetchOf(globalThis), scheduler: nodePorts.scheduler }

/** What gives a book in Node its vectors. */
export const nodeEmbedder = (options: EmbedderOptions | undefined) =>
  embedderSource(options, nodeEmbedderHost)
