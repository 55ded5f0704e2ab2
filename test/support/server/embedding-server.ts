// A server that embeds by meaning, in both shapes of the field, and misbehaves as a test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { meaningOf } from '../meaning-embedder.ts'

interface Request {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly texts?: string[]; readonly input?: string[] } & Record<string, unknown>
}

export async function startEmbeddingServer() {
  const requests: Request[] = []
  const state: { misbehave?: ((response: ServerResponse, texts: readonly string[]) => void) | undefined } = {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Request['body']
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      const texts = body.texts ?? body.input ?? []
      if (state.misbehave) return state.misbehave(response, texts)
      const vectors = texts.map((text) => [...meaningOf(text)].map((value) => value * 3))
      response.setHeader('content-type', 'application/json')
      // The other way round on purpose: what counts is the index.
      const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).toReversed()
      response.end(
        JSON.stringify(body.input ? { object: 'list', data } : { embeddings: vectors, dimensions: 4 }),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(state, {
    url,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

export type EmbeddingServer = Awaited<ReturnType<typeof startEmbeddingServer>>
