// The script of a local model's worker thread.
import { parentPort } from 'node:worker_threads'
import type { ModelRequest } from '../../recall/embed/model-message.ts'
import { serveModel } from '../../recall/embed/model-server.ts'

const serve = serveModel({
  post: (answer, transfer) => parentPort?.postMessage(answer, transfer),
  importRuntime: (address): Promise<unknown> =>
    address === undefined ? import('@huggingface/transformers') : import(address),
  // The answer for files that an offline model lacks: without it, Transformers.js would download them.
  notFound: () => new Response(null, { status: 404 }),
})
parentPort?.on('message', (request: ModelRequest) => serve(request))
