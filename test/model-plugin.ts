// A language model behind HTTP for tests in the browser, on the origin of their page.
import type { Plugin } from 'vite'

/** Answers `POST /test-model/v1/chat/completions` to those who have the key `test-key`. */
export function withTestModel(): Plugin {
  return {
    name: 'test:model',
    configureServer(server) {
      server.middlewares.use('/test-model/v1/chat/completions', (request, response) => {
        if (request.headers.authorization !== 'Bearer test-key') return void response.writeHead(401).end()
        let body = ''
        request.on('data', (piece: Buffer) => (body += piece.toString()))
        request.on('end', () => {
          const { model } = JSON.parse(body) as { model: string }
          const content = JSON.stringify({ summary: `Told by ${model} over HTTP.`, keywords: [] })
          response.setHeader('content-type', 'application/json')
          response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] }))
        })
      })
    },
  }
}
