// The script of a local model's worker.
import type { ModelRequest } from '../../recall/embed/model-message.ts'
import { serveModel } from '../../recall/embed/model-server.ts'

/**
 * The first message has the port to the engine, because the page starts this worker and the engine runs in
 * another worker.
 */
addEventListener(
  'message',
  ({ ports: [line] }) => {
    const serve = serveModel({
      post: (answer, transfer) => line?.postMessage(answer, transfer),
      importRuntime: (address): Promise<unknown> =>
        address === undefined
          ? import('@huggingface/transformers')
          : import(/* @vite-ignore */ /* webpackIgnore: true */ address),
      // In offline mode, a missing file gets this answer (404), so that Transformers.js does not download it.
      notFound: () => new Response(null, { status: 404 }),
    })
    if (line) line.onmessage = ({ data }: MessageEvent<ModelRequest>) => serve(data)
  },
  { once: true },
)
