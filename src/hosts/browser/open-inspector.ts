// `daybook/inspector`: shows the inspector of a book beside the page that has it open.
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
  /** Removes it. */
  close(): void
}

/**
 * Shows the inspector of `book`, which is open or a name. Rejects with `not-found` if there is no inspector
 * at `path`, and with `forbidden` if the browser blocks the window.
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

/** An app may answer unknown paths with its own page. */
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
  // One window for a book: a second click shows the same.
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
