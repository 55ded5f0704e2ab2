// `daybook/inspector`: shows the inspector of a book beside the page that has it open.
import type { Daybook } from '../../../book/daybook.ts'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'

export interface OpenInspectorOptions {
  /** Where the inspector is served, on the origin of the page. Default `/__daybook/`. */
  readonly path?: string
  /** The element to fill with it. Default: a window of its own, for which the browser wants a click. */
  readonly into?: Element
}

/** An inspector that is shown. */
export interface ShownInspector extends Disposable {
  /** Takes it away again. */
  close(): void
}

/**
 * Shows the inspector of `book`, a book that is open or the name of one. Rejects with `not-found` where none is served at
 * `path`, and with `forbidden` where the browser lets no window be opened.
 */
export async function openInspector(
  book: Daybook | string,
  { path = '/__daybook/', into }: OpenInspectorOptions = {},
): Promise<ShownInspector> {
  const name = checkBookName(typeof book === 'string' ? book : (await book.status()).name)
  const address = new URL(path, location.href)
  await checkServed(address)
  address.searchParams.set('book', name)
  const close = into ? showWithin(into, address) : showBeside(name, address)
  return { close, [Symbol.dispose]: close }
}

/** Who serves nothing there may answer with the app itself. */
async function checkServed(address: URL): Promise<void> {
  const answer = await fetch(new URL('icon.svg', address), { method: 'HEAD' }).catch(() => undefined)
  if (answer?.ok && answer.headers.get('content-type')?.startsWith('image/svg')) return
  throw new DaybookError(
    'not-found',
    `No inspector is served at ${address.pathname}: add the plugin of daybook/vite or the middleware of daybook/dev-server.`,
    { details: { path: 'options.path' } },
  )
}

function showWithin(place: Element, address: URL): () => void {
  const frame = document.createElement('iframe')
  frame.src = address.href
  frame.title = 'Daybook inspector'
  Object.assign(frame.style, { border: '0', width: '100%', height: '100%' })
  place.append(frame)
  return () => frame.remove()
}

function showBeside(name: string, address: URL): () => void {
  // The same window for the same book: a second click shows what is there.
  const shown = window.open(address, `daybook-inspector-${name}`)
  if (shown) return () => shown.close()
  throw new DaybookError(
    'forbidden',
    'The browser let no window be opened: call it in answer to a click, or name an element by `into`.',
    {
      details: { path: 'options.into' },
    },
  )
}
