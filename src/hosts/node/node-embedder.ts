// Embedders in Node: over its own fetch, or a model in a thread of its own.
import { type EmbedderHost, embedderSource } from '../../recall/embed/create-embedder.ts'
import { fetchOf } from '../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
import { nodePorts } from './node-ports.ts'

const host: EmbedderHost = { fetch: fetchOf(globalThis), scheduler: nodePorts.scheduler }

/** What gives a book in Node its vectors. */
export const nodeEmbedder = (options: EmbedderOptions | undefined) => embedderSource(options, host)
