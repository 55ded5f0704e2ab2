// Tabs of a real WebKit: Debian's WebKitGTK through its WebDriver, on a display that nobody sees. Its automated
// sessions keep nothing on disk and have no OPFS, so here a book lives in IndexedDB.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { inject, vi } from 'vitest'
import { freePort } from '../support/server/free-port.ts'
import { installDebian } from '../support/server/install-debian.ts'

const driver = '/usr/bin/WebKitWebDriver'
const display = '/usr/bin/Xvfb'

/** Why there is no WebKit to test in; undefined when there is one. */
export const findWebkit = (): string | undefined =>
  installDebian(driver, ['webkit2gtk-driver']) ?? installDebian(display, ['xvfb'])

function findBrowser(): string {
  const libraries = '/usr/lib'
  const found = readdirSync(libraries)
    .flatMap((machine) => ['4.1', '4.0'].map((api) => join(libraries, machine, `webkit2gtk-${api}`)))
    .find((folder) => list(folder).includes('MiniBrowser'))
  if (found === undefined) throw new Error('WebKitGTK is here without its MiniBrowser.')
  return join(found, 'MiniBrowser')
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export interface WebkitTab {
  /** Runs an expression in the page and answers with what it comes to; rejects with what it throws. */
  evaluate<Value>(expression: string): Promise<Value>
  reload(): Promise<void>
  /** Has the page say that it is seen, or hidden. Under the driver every tab counts as hidden; here it is seen at first. */
  show(isSeen: boolean): Promise<void>
  close(): Promise<void>
}

export interface Webkit extends AsyncDisposable {
  open(): Promise<WebkitTab>
}

export async function openWebkit(): Promise<Webkit> {
  const screen = spawn(display, ['-displayfd', '3', '-screen', '0', '800x600x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [number] = (await once(screen.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer]
  const port = await freePort()
  const server = spawn(driver, [`--port=${port}`, '--host=127.0.0.1'], {
    env: {
      ...process.env,
      DISPLAY: `:${number.toString().trim()}`,
      // Its sandbox needs what root and containers do not have.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
    stdio: 'ignore',
  })
  const call = createCaller(`http://127.0.0.1:${port}`)
  await vi.waitFor(() => call('GET', '/status'), { timeout: 60_000 })
  const { sessionId } = await call<Session>('POST', '/session', {
    capabilities: {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: findBrowser(), args: ['--automation'] } },
    },
  })
  const inSession = `/session/${sessionId}`
  // One window has the driver's attention at a time.
  let last: Promise<unknown> = Promise.resolve()
  const inWindow = <Value>(handle: string, method: string, path: string, body?: object) => {
    const done = last.then(async () => {
      await call('POST', `${inSession}/window`, { handle })
      return call<Value>(method, `${inSession}${path}`, body)
    })
    last = done.catch(() => undefined)
    return done
  }
  // The window that came with the session stays: without one there is nobody to open another.
  const home = await call<string>('GET', `${inSession}/window`)
  return {
    async open() {
      const { handle } = await inWindow<{ handle: string }>(home, 'POST', '/window/new', { type: 'tab' })
      const url = `${inject('tabsUrl')}current/index.html`
      await inWindow(handle, 'POST', '/url', { url })
      const show = async (isSeen: boolean) => {
        const script = `Object.defineProperty(document, 'visibilityState', { configurable: true, value: arguments[0] })
          document.dispatchEvent(new Event('visibilitychange'))`
        await inWindow(handle, 'POST', '/execute/sync', { script, args: [isSeen ? 'visible' : 'hidden'] })
      }
      await show(true)
      return {
        show,
        async evaluate<Value>(expression: string) {
          const script = `const done = arguments[0]
            Promise.resolve().then(() => (${expression})).then((value) => done({ value }), (error) => done({ error: String(error) }))`
          const said = await inWindow<Said<Value>>(handle, 'POST', '/execute/async', { script, args: [] })
          if ('error' in said) throw new Error(said.error)
          return said.value
        },
        async reload() {
          await inWindow(handle, 'POST', '/refresh', {})
          await show(true)
        },
        async close() {
          await inWindow(handle, 'DELETE', '/window')
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await call('DELETE', inSession).catch(() => undefined)
      for (const process of [server, screen]) await end(process)
    },
  }
}

interface Session {
  readonly sessionId: string
}

type Said<Value> = { readonly value: Value } | { readonly error: string }

/** The W3C protocol, as far as it is needed: an HTTP call, whose answer is `{ value }`. */
function createCaller(url: string) {
  return async <Value>(method: string, path: string, body?: object): Promise<Value> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, init)
    const { value } = (await answer.json()) as { value: Value & { error?: string; message?: string } }
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`)
    return value
  }
}

async function end(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return
  const ended = once(process, 'exit')
  process.kill()
  await ended
}
