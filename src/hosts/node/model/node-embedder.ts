// Embedders in Node: over its own fetch, or from a model in a thread.
import { type EmbedHost, embedderSource } from '../../../recall/embed/create-embedder.ts'
import { fetchOf } from '../../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { nodeModelHost } from './model-host.ts'
import { nodePorts } from '../port/node-ports.ts'

/** What embedders need of Node. */
export const nodeEmbedderHost: EmbedHost = {
  fetch: fetchOf(globalThis),
  scheduler: nodePorts.scheduler,
  clock: nodePorts.clock,
  models: nodeModelHost,
}

/** What gives a book in Node its vectors. */
export const nodeEmbedder = (options: EmbedderOptions | undefined) =>
  embedderSource(options, nodeEmbedderHost)
