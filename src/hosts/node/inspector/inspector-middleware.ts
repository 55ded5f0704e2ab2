// Serves the inspector beside an app: a middleware for the dev servers of Vite and webpack, Express, and
// others that call `(request, response, next)`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  checkInspectorPath,
  type InspectorFile,
  inspectorFiles,
  inspectorPath,
  checkFrameAncestors,
  inspectorBody,
  inspectorHeaders,
} from './inspector-files.ts'

export { inspectorFolder } from './inspector-files.ts'

export interface InspectorOptions {
  /** Path of the inspector on the app's origin. Default `/__daybook/`. */
  readonly path?: string
  /**
   * Origins of other pages that may show it in a frame, such as `http://localhost:3000`. Default: only the
   * app's own.
   */
  readonly frameAncestors?: readonly string[]
}

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/**
 * Answers requests below `path`, and passes on others. For development: everyone who can open the page can
 * read and change all unlocked books of its origin.
 */
export function inspectorMiddleware({
  path = inspectorPath,
  frameAncestors = [],
}: InspectorOptions = {}): Middleware {
  const at = checkInspectorPath(path)
  const ancestors = checkFrameAncestors(frameAncestors)
  const files = inspectorFiles()
  const page = files.get('index.html')
  const headers = page ? inspectorHeaders(page.read(), ancestors) : {}
  // Read once, so that unread answers hold no copies.
  const bodies = new Map<InspectorFile, Uint8Array>()
  const bodyOf = (file: InspectorFile) => {
    const body = bodies.get(file) ?? inspectorBody(file, ancestors)
    bodies.set(file, body)
    return body
  }
  return (request, response, next) => {
    const pathname = pathOf(request.url)
    if (pathname === undefined) return next()
    if (pathname === at.slice(0, -1)) return void response.writeHead(302, { location: at }).end()
    if (!pathname.startsWith(at)) return next()
    const file = files.get(pathname.slice(at.length) || 'index.html')
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!file || !isRead) return void response.writeHead(file ? 405 : 404).end()
    const body = bodyOf(file)
    response.writeHead(200, {
      'content-type': file.type,
      'content-length': body.length,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...headers,
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

/** The path of a request target, which may be any text; undefined if it has none. */
function pathOf(target = '/'): string | undefined {
  // Concatenated, not resolved: a target that begins with `//` names no host.
  const address = target.startsWith('/') ? `http://localhost${target}` : target
  return URL.canParse(address) ? new URL(address).pathname : undefined
}
