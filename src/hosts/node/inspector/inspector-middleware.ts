// Serves the inspector beside an app: a middleware for the dev servers of Vite and webpack, for Express, and
// for other servers that call `(request, response, next)`.
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
   * Origins of other pages that may show the inspector in a frame, such as `http://localhost:3000`. Default:
   * only the app's origin.
   */
  readonly frameAncestors?: readonly string[]
}

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/**
 * Answers requests below `path`, and calls `next` for other requests. For development only: every user of the
 * page can read and change all unlocked books of the app's origin. Throws a `TypeError` for wrong options.
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
  // Read each file once, so that all answers share its bytes.
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

/** The path of a request target, which may be any text; undefined for an invalid URL. */
function pathOf(target = '/'): string | undefined {
  // Concatenate, don't resolve: a target that begins with `//` would be resolved to another host.
  const address = target.startsWith('/') ? `http://localhost${target}` : target
  return URL.canParse(address) ? new URL(address).pathname : undefined
}
