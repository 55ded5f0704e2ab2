// The files of the built inspector, as they lie in the package. Invariant: what is not one of them is not served, whatever the
// address says.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder with the built inspector, to be served as plain files by whatever serves the app. */
export const inspectorFolder: string = fileURLToPath(new URL('./inspector/', import.meta.url))

/** Where the inspector is, if nothing else is said. */
export const inspectorPath = '/__daybook/'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

export interface InspectorFile {
  /** From the inspector's folder, with slashes. */
  readonly name: string
  readonly type: string
  /** True for a name that changes with what is in it. */
  readonly isHashed: boolean
  read(): Uint8Array
}

/** Every file that a page asks for, by name. */
export function inspectorFiles(folder = inspectorFolder): ReadonlyMap<string, InspectorFile> {
  const files = new Map<string, InspectorFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length).split(sep).join('/').replace(/^\//, '')
    files.set(name, { name, type, isHashed: name.startsWith('assets/'), read: () => readFileSync(path) })
  }
  return files
}

/** `given` as a path of an origin that begins and ends with a slash. Throws a `TypeError` for any other text. */
export function checkInspectorPath(given: string): string {
  if (/^\/(?:[A-Za-z0-9._~-]+\/)+$/.test(given)) return given
  throw new TypeError(`path: A path such as ${inspectorPath} is wanted, not ${JSON.stringify(given)}.`)
}
