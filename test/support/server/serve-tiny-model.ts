// The tiny model beside the pages of the browser tests: `/models/tiny/…`. `/models/asked` answers how often its weights
// were fetched.
import type { Plugin } from 'vitest/config'
import { tinyModel } from './tiny-model.ts'

export function serveTinyModel(): Plugin {
  const files = tinyModel()
  let asked = 0
  return {
    name: 'serve-tiny-model',
    configureServer({ middlewares }) {
      middlewares.use('/models', (request, response) => {
        const path = (request.url ?? '').split('?')[0] ?? ''
        if (path === '/asked') return void response.end(String(asked))
        const content = files.get(path.replace(/^\/tiny\//, ''))
        if (!content) return void response.writeHead(404).end()
        if (path.endsWith('.onnx') && request.headers.range === undefined) asked += 1
        response.writeHead(200, { 'content-length': content.length }).end(content)
      })
    },
  }
}
