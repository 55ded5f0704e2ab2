// Serves the inspector beside an app: a middleware for Vite's and webpack's dev servers, Express and whatever else takes
// `(request, response, next)`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkInspectorPath, inspectorFiles, inspectorPath } from './inspector-files.ts'

export { inspectorFolder } from './inspector-files.ts'

export interface InspectorOptions {
  /** Where on the app's origin the inspector is. Default `/__daybook/`. */
  readonly path?: string
}

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/**
 * Answers for everything below `path`, and hands all else on. For development: whoever can open the page can read and change
 * every book of its origin that is not locked.
 */
export function inspectorMiddleware({ path = inspectorPath }: InspectorOptions = {}): Middleware {
  const at = checkInspectorPath(path)
  const files = inspectorFiles()
  return (request, response, next) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === at.slice(0, -1)) return void response.writeHead(302, { location: at }).end()
    if (!pathname.startsWith(at)) return next()
    const file = files.get(pathname.slice(at.length) || 'index.html')
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!file || !isRead) return void response.writeHead(file ? 405 : 404).end()
    const body = file.read()
    response.writeHead(200, {
      'content-type': file.type,
      'content-length': body.length,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}
