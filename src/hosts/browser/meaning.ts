// `daybook/meaning`: the table of vectors that comes with the package, as the embedder of a book. It is a separate
// entry, so that a bundler copies the table only for apps that import it.
import type { MeaningOptions } from '../../recall/embed/embedder-options.ts'
import { invalidInput } from '../../core/errors.ts'
import { assetsFolder } from './page-script.ts'

/**
 * Returns an `embedder` for `openDaybook`, in a page and in Node. The file of the table, `meaning.bin`, is fetched when the
 * book has been open for half a second, or for an earlier text or question; the browser's cache stores it. `url`: its
 * address, which may be relative to the page; `assets`: URL of the folder with it, as for `openDaybook`. Throws
 * `invalid-input` for an invalid address: one that is no URL, or neither of http, https, file, blob, data nor of the
 * scheme of the page.
 *
 * ```ts
 * openDaybook({ name, embedder: meaning() })
 * ```
 */
export function meaning({
  assets,
  url,
  ...options
}: Omit<MeaningOptions, 'provider' | 'path'> & { readonly assets?: string } = {}): MeaningOptions {
  if ('path' in options)
    throw invalidInput(
      'embedder.path',
      'Is for Node without `meaning`: `{ provider: "meaning", path }`; give `url` here',
    )
  if (url !== undefined && assets !== undefined)
    throw invalidInput('embedder.assets', 'Must not stand beside `url`')
  return { ...options, provider: 'meaning', url: tableAddress(url, assets) }
}

function tableAddress(url: string | undefined, assets: string | undefined): string {
  if (assets !== undefined) {
    checkReference(assets, 'embedder.assets', 'the URL of a folder')
    return new URL('meaning.bin', assetsFolder(assets)).href
  }
  // Don't change this form: bundlers recognize only it.
  if (url === undefined) return new URL('../../../assets/meaning.bin', import.meta.url).href
  const base = (globalThis as { location?: { readonly href: string } }).location?.href
  checkReference(url, 'embedder.url', fileAddress)
  if (!URL.canParse(url, base)) throw invalidInput('embedder.url', `Must be ${fileAddress}`)
  const { href, protocol } = new URL(url, base)
  if (!fileSchemes.has(protocol) && (base === undefined || new URL(base).protocol !== protocol))
    throw invalidInput('embedder.url', `Must be ${fileAddress}, not of the scheme \`${protocol}\``)
  return href
}

const fileAddress = 'the address of a file, such as https://example.org/meaning.bin'
const fileSchemes = new Set(['http:', 'https:', 'file:', 'blob:', 'data:'])

/**
 * A relative reference has no colon in its first segment (RFC 3986, section 4.2); a browser would take it as a name.
 * Chromium also accepts a host with spaces.
 */
function checkReference(reference: unknown, path: string, kind: string): void {
  const isReference = typeof reference === 'string' && reference.trim() !== ''
  const isBroken = (text: string) =>
    /^[^/?#]*:\/\/[^/?#]*\s/.test(text) || (/^[^/?#]*:/.test(text) && !URL.canParse(text))
  if (!isReference || isBroken(reference)) throw invalidInput(path, `Must be ${kind}`)
}

export type { MeaningOptions }
