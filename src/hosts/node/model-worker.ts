// The script of a local model's worker thread.
import { parentPort } from 'node:worker_threads'
import type { ModelRequest } from '../../recall/embed/model-message.ts'
import { serveModel } from '../../recall/embed/model-server.ts'

const serve = serveModel({
  post: (answer, transfer) => parentPort?.postMessage(answer, transfer),
  importRuntime: (address): Promise<unknown> =>
    address === undefined ? import('@huggingface/transformers') : import(address),
  // In offline mode, a missing file gets this answer (404), so that Transformers.js does not download it.
  notFound: () => new Response(null, { status: 404 }),
})
parentPort?.on('message', (request: ModelRequest) => serve(request))
