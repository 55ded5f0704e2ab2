// The page that measures one scanner of vectors: it runs in a worker, as the scan of a book does.
import type { VectorReply, VectorRequest } from './vector/vector.worker.ts'
import { vectorPeers, type VectorPeerKey } from './vector/vector-peers.ts'

const worker = new Worker(new URL('./vector/vector.worker.ts', import.meta.url), { type: 'module' })

function ask<Request extends VectorRequest>(request: Request): Promise<VectorReply> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<VectorReply>) =>
      data.error === undefined ? resolve(data) : reject(new Error(data.error))
    worker.onerror = (event) => reject(new Error(event.message))
    worker.postMessage(request)
  })
}

export const bench = {
  peers: Object.keys(vectorPeers),
  describe: (key: VectorPeerKey) => vectorPeers[key],
  fill: (peer: VectorPeerKey, size: number) => ask({ do: 'fill', peer, size }),
  runRound: (count: number, round: number) => ask({ do: 'ask', count, round }),
}
export type VectorBench = typeof bench
