// The files of the built inspector in the package, and their HTTP headers.
// Invariants: no URL serves another file. Only pages of the same origin, and of the origins in
// `frameAncestors`, may show the inspector in a frame, to prevent clickjacking.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the built inspector, which any server of static files can serve. */
export const inspectorFolder: string = fileURLToPath(new URL('./inspector/', import.meta.url))

/** Default path of the inspector. */
export const inspectorPath = '/__daybook/'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

export interface InspectorFile {
  /** Path relative to the inspector's folder, with slashes. */
  readonly name: string
  readonly type: string
  /** Whether the name has a hash of the content, so that caches may keep the file. */
  readonly isHashed: boolean
  read(): Uint8Array
}

/** All files of the inspector, by name. */
export function inspectorFiles(folder = inspectorFolder): ReadonlyMap<string, InspectorFile> {
  const files = new Map<string, InspectorFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length).split(sep).join('/').replace(/^\//, '')
    // The build puts files with a hash in their name into `assets`.
    files.set(name, { name, type, isHashed: name.startsWith('assets/'), read: () => readFileSync(path) })
  }
  return files
}

/** Returns `path`. Throws a `TypeError` unless it begins and ends with a slash. */
export function checkInspectorPath(path: string): string {
  if (/^\/(?:[A-Za-z0-9._~-]+\/)+$/.test(path)) return path
  throw new TypeError(`path: It must look like ${inspectorPath}, not ${JSON.stringify(path)}.`)
}

/**
 * Name of the `<meta>` with the origins that may show the page in a frame, for servers that don't send the
 * headers.
 */
const ancestorsMeta = 'daybook-frame-ancestors'
const originShape = /^https?:\/\/(?:\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/

/**
 * Returns `origins`. Throws a `TypeError` for a text that isn't exactly an origin, because a policy would
 * accept wildcards and more.
 */
export function checkFrameAncestors(origins: readonly string[]): readonly string[] {
  const wrong = origins.find((origin) => !originShape.test(origin))
  if (wrong === undefined) return origins
  throw new TypeError(
    `frameAncestors: An origin must look like https://app.example.org, not ${JSON.stringify(wrong)}.`,
  )
}

/** The bytes of a file; `index.html` gets the `<meta>` with `ancestors`. */
export function inspectorBody({ name, read }: InspectorFile, ancestors: readonly string[]): Uint8Array {
  if (name !== 'index.html' || ancestors.length === 0) return read()
  const page = Buffer.from(read()).toString('utf8')
  return Buffer.from(
    page.replace('<head>', `<head>\n    <meta name="${ancestorsMeta}" content="${ancestors.join(' ')}" />`),
  )
}

/**
 * The HTTP headers of all files, with the policy of the built `page`: a worker uses only the policy in the
 * header of its script. Throws if the page has no policy.
 */
export function inspectorHeaders(page: Uint8Array, ancestors: readonly string[]): Record<string, string> {
  const built = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(
    Buffer.from(page).toString('utf8'),
  )?.[1]
  if (built === undefined) throw new Error('The inspector was built without a policy.')
  const framing = ["frame-ancestors 'self'", ...ancestors].join(' ')
  return {
    'content-security-policy': `${built.replaceAll('&#39;', "'")}; ${framing}`,
    // This header allows no list of origins, so omit it if there are `ancestors`.
    ...(ancestors.length === 0 ? { 'x-frame-options': 'SAMEORIGIN' } : {}),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  }
}
