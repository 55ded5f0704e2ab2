// `daybook/inspector`: shows the inspector of a book that this page has open, in a window or an element.
import type { Daybook } from '../../book/daybook.ts'
import { checkBookName } from '../../core/book.ts'
import { DaybookError } from '../../core/errors.ts'

export interface OpenInspectorOptions {
  /** Path of the inspector on the page's origin. Default `/__daybook/`. */
  readonly path?: string
  /** The element to fill. Default: a new window, which needs a click. */
  readonly into?: Element
}

export interface ShownInspector extends Disposable {
  /** Removes the frame, or closes the window. */
  close(): void
}

/**
 * Shows the inspector of `book`: an open book, or the name of a book. Rejects with `not-found` if there is no
 * inspector at `path`, and with `forbidden` if the browser blocks the window.
 */
export async function openInspector(
  book: Daybook | string,
  { path = '/__daybook/', into }: OpenInspectorOptions = {},
): Promise<ShownInspector> {
  const name = checkBookName(typeof book === 'string' ? book : (await book.status()).name)
  const address = new URL(path.endsWith('/') ? path : `${path}/`, location.href)
  await checkServed(address)
  address.searchParams.set('book', name)
  const close = into ? showWithin(into, address) : showBeside(name, address)
  return { close, [Symbol.dispose]: close }
}

/** Tests for the inspector's icon, because an app may answer unknown paths with its own page. */
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
  // A window name for each book, so that a second click shows the same window.
  const shown = window.open(address, `daybook-inspector-${name}`)
  if (shown) return () => shown.close()
  throw new DaybookError(
    'forbidden',
    'The browser blocked the window: call this in a click handler, or give an element as `into`.',
    {
      details: { path: 'options.into' },
    },
  )
}
