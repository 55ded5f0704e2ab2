// Serves the tiny model as a folder over HTTP, and holds back or refuses its files as a test says.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tinyModel } from './tiny-model.ts'

export async function startTinyServer() {
  const files = tinyModel()
  const asked: string[] = []
  const state: { misbehave?: ((response: ServerResponse, file: string) => boolean) | undefined } = {}
  const server = createServer((request, response) => {
    const file = (request.url ?? '').replace(/^\/tiny\//, '')
    // With a range it only asks how large a file is.
    if (request.headers.range === undefined) {
      asked.push(file)
      if (state.misbehave?.(response, file)) return
    }
    const content = files.get(file)
    if (content) response.writeHead(200, { 'content-length': content.length }).end(content)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(state, {
    url,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
