// `daybook/meaning`: the table of vectors that comes with the package, as the embedder of a book. It is a separate
// entry, so that a bundler copies the table only for apps that import it.
import type { MeaningOptions } from '../../recall/embed/embedder-options.ts'
import { assetsFolder } from './page-script.ts'

/**
 * Returns an `embedder` for `openDaybook`, in a page and in Node. The file of the table, `meaning.bin`, is fetched when the
 * book has been open for half a second, or for an earlier text or question; the browser's cache stores it. `url`: its address, which may be relative to the page;
 * `assets`: URL of the folder with it, as for `openDaybook`. Throws `invalid-input` for an invalid address.
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
  return { ...options, provider: 'meaning', url: tableAddress(url, assets) }
}

function tableAddress(url: string | undefined, assets: string | undefined): string {
  if (assets !== undefined) return new URL('meaning.bin', assetsFolder(assets)).href
  // Don't change this form: bundlers recognize only it.
  if (url === undefined) return new URL('../../../assets/meaning.bin', import.meta.url).href
  const base = (globalThis as { location?: { readonly href: string } }).location?.href
  return URL.canParse(url, base) ? new URL(url, base).href : url
}

export type { MeaningOptions }
