// `daybook/inspector`: opens the inspector of a book in a window, or in an element of the page.
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
  // Open the window before the first await: Safari allows it in the click only.
  const target = into
    ? { element: into }
    : { window: openWindow(typeof book === 'string' ? checkBookName(book) : shown.get(book)) }
  try {
    const name = checkBookName(typeof book === 'string' ? book : (await book.status()).name)
    if (typeof book !== 'string') shown.set(book, name)
    const address = new URL(path.endsWith('/') ? path : `${path}/`, location.href)
    await checkServed(address)
    address.searchParams.set('book', name)
    const close =
      'window' in target ? showBeside(target.window, name, address) : showWithin(target.element, address)
    return { close, [Symbol.dispose]: close }
  } catch (error) {
    if ('window' in target && isBlank(target.window)) target.window.close()
    throw error
  }
}

/** Names of the books shown by this page: a second click must name its window before anything asynchronous. */
const shown = new WeakMap<Daybook, string>()

const windowName = (book: string) => `daybook-inspector-${book}`

/** A blank window, or the window that shows `book` already. */
function openWindow(book: string | undefined): Window {
  const opened = window.open('', book === undefined ? '_blank' : windowName(book))
  if (opened) return opened
  throw new DaybookError(
    'forbidden',
    'The browser blocked the window: call this in a click handler, or give an element as `into`.',
    { details: { path: 'options.into' } },
  )
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

/** True if the window shows nothing yet. The address of another site's page can't be read. */
function isBlank({ location }: Window): boolean {
  try {
    return location.href === 'about:blank'
  } catch {
    return false
  }
}

function showWithin(place: Element, address: URL): () => void {
  const frame = document.createElement('iframe')
  frame.src = address.href
  frame.title = 'Daybook inspector'
  Object.assign(frame.style, { border: '0', width: '100%', height: '100%' })
  place.append(frame)
  return () => frame.remove()
}

function showBeside(beside: Window, book: string, address: URL): () => void {
  beside.name = windowName(book)
  beside.location.href = address.href
  beside.focus()
  return () => beside.close()
}
