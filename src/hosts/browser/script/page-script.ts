// Where the scripts are that a page starts, when no bundler has put them beside its own: in the folder `assets`, or with the
// package itself on a CDN. Invariant: a script of another origin runs in this one, so that its book is a book of this page.
import { DaybookError } from '../../../core/errors.ts'

/** What to do when a script is not where it is looked for. */
export const assetsHint =
  'With esbuild or Bun, copy the files with `npx daybook assets <folder>` and open with `assets`; ' +
  'in a Vite dev server older than 8, exclude daybook from optimizeDeps.'

/** The address of the folder `assets`, as seen from the page; throws `invalid-input` for what is none. */
export function assetsFolder(assets: string): string {
  try {
    const folder = new URL(assets, location.href)
    if (!folder.pathname.endsWith('/')) folder.pathname += '/'
    // An address such as `data:` has no files below it.
    return new URL('.', folder).href
  } catch {
    throw new DaybookError('invalid-input', `\`assets\` is not the address of a folder: ${assets}.`, {
      details: { path: 'assets' },
    })
  }
}

/**
 * Where `file` of the package is, unless its bundler knows: in the folder `assets`, or beside `asking` when that is the entry
 * of the package as it was published, served by another origin. Bundlers give their files other names.
 */
export function scriptAddress(
  file: string,
  assets: string | undefined,
  asking: string | undefined,
): string | undefined {
  if (assets !== undefined) return new URL(file, assets).href
  const isPublished = asking !== undefined && /^https?:.*\/(?:index|local)\.js(?:\?|$)/.test(asking)
  return isPublished && !isOfPage(asking) ? new URL(file, asking).href : undefined
}

/** Whether the page may start a script at `address` itself. */
export const isOfPage = (address: string): boolean => new URL(address).origin === location.origin

/** A worker of this origin that runs the module at `address`; one of another origin is imported by a script of this one. */
export function startScript(address: string, name: string): Worker {
  if (isOfPage(address)) return new Worker(address, { type: 'module', name })
  const text = `import ${JSON.stringify(address)}`
  const script = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  const worker = new Worker(script, { type: 'module', name })
  const release = () => URL.revokeObjectURL(script)
  // Whatever it says first, its script has been read.
  worker.addEventListener('message', release, { once: true })
  worker.addEventListener('error', release, { once: true })
  return worker
}

/** Throws `needs-page` where there is no page: in Node, Bun and Deno, at an edge, and while a page is made on a server. */
export function checkPage(): void {
  const isPage = typeof document === 'object' || 'importScripts' in globalThis
  if (!isPage || typeof Worker !== 'function') throw new DaybookError('needs-page')
}
