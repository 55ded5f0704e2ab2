// URLs of the scripts that a page starts, if no bundler placed them: in the folder `assets`, or beside the
// package on a CDN.
// Invariant: a script of another origin runs in this page's origin, so that it uses this origin's storage.
import { DaybookError } from '../../core/errors.ts'

/** Advice in the error of a missing script. */
export const assetsHint =
  'With esbuild or Bun, copy the files with `npx daybook assets <folder>` and open with `assets`; ' +
  'in a Vite dev server older than 8, exclude daybook from optimizeDeps.'

/**
 * Resolves `assets` against the page's URL, with a `/` at the end. Throws `invalid-input` for an invalid URL.
 */
export function assetsFolder(assets: string): string {
  try {
    const folder = new URL(assets, location.href)
    if (!folder.pathname.endsWith('/')) folder.pathname += '/'
    // This throws for a URL without a path, such as `data:`.
    return new URL('.', folder).href
  } catch {
    throw new DaybookError('invalid-input', `\`assets\` is not the URL of a folder: ${assets}.`, {
      details: { path: 'assets' },
    })
  }
}

/**
 * URL of the script `file`: in the folder `assets`, or beside `importer` if that is the published entry on
 * another origin (bundlers use other file names). Undefined: the caller uses the URL that the bundler knows.
 */
export function scriptAddress(
  file: string,
  assets: string | undefined,
  importer: string | undefined,
): string | undefined {
  if (assets !== undefined) return new URL(file, assets).href
  const isPublished = importer !== undefined && /^https?:.*\/(?:index|local)\.js(?:\?|$)/.test(importer)
  return isPublished && !isOfPage(importer) ? new URL(file, importer).href : undefined
}

/** Whether the script at `address` has the page's origin. */
export const isOfPage = (address: string): boolean => new URL(address).origin === location.origin

/** Starts a module worker. A script of another origin is imported by a blob script of this origin. */
export function startScript(address: string, name: string): Worker {
  if (isOfPage(address)) return new Worker(address, { type: 'module', name })
  const text = `import ${JSON.stringify(address)}`
  const script = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  const worker = new Worker(script, { type: 'module', name })
  const release = () => URL.revokeObjectURL(script)
  // The first message shows that the script is loaded, so the blob URL can be released.
  worker.addEventListener('message', release, { once: true })
  worker.addEventListener('error', release, { once: true })
  return worker
}

/** Throws `needs-page` without a page: in Node, Bun, Deno, at an edge, and during server-side rendering. */
export function checkPage(): void {
  const isPage = typeof document === 'object' || 'importScripts' in globalThis
  if (!isPage || typeof Worker !== 'function') throw new DaybookError('needs-page')
}
