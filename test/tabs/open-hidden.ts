// Tabs that the browser may freeze: only hidden ones are, and a page that Playwright drives never counts as hidden. So
// these are driven by the bare devtools protocol.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, vi } from 'vitest'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'

export interface HiddenTab {
  /** Runs an expression in the page and answers with what it comes to; rejects with what it throws. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Brings it to the front; all others are hidden then. */
  show(): Promise<void>
  setState(state: 'frozen' | 'active'): Promise<void>
}

export interface HiddenTabs extends AsyncDisposable {
  open(): Promise<HiddenTab>
}

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Evaluated {
  readonly result: { readonly value: unknown }
  readonly exceptionDetails?: { readonly exception?: { readonly description?: string } }
}

type Send = <Result>(method: string, params: object, sessionId?: string) => Promise<Result>

export async function openHiddenTabs(): Promise<HiddenTabs> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-hidden-'))
  const browser = spawn(
    (await findBrowser()) ?? 'chromium',
    [
      '--headless=new',
      '--no-first-run',
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}`,
      ...browserArgs,
      'about:blank',
    ],
    { stdio: 'ignore' },
  )
  const socket = new WebSocket(await addressOf(folder))
  await once(socket, 'open')
  const send = createSender(socket)
  return {
    async open() {
      const url = `${inject('tabsUrl')}current/index.html`
      const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url })
      const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', {
        targetId,
        flatten: true,
      })
      const tab: HiddenTab = {
        async evaluate<Value>(expression: string) {
          const { result, exceptionDetails } = await send<Evaluated>(
            'Runtime.evaluate',
            { expression, awaitPromise: true, returnByValue: true },
            sessionId,
          )
          if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'It threw.')
          return result.value as Value
        },
        show: () => send('Target.activateTarget', { targetId }),
        setState: (state) => send('Page.setWebLifecycleState', { state }, sessionId),
      }
      await vi.waitFor(async () => {
        if (!(await tab.evaluate('"tab" in globalThis'))) throw new Error('The page is not there yet.')
      }, 15_000)
      return tab
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      await end(browser)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Where the browser listens; it writes that into its profile. */
async function addressOf(folder: string): Promise<string> {
  const file = join(folder, 'DevToolsActivePort')
  return vi.waitFor(() => {
    const [port, path] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    if (path === undefined) throw new Error('The browser does not listen yet.')
    return `ws://127.0.0.1:${port}${path}`
  }, 15_000)
}

function createSender(socket: WebSocket): Send {
  const waiting = new Map<number, (answer: Answer) => void>()
  let last = 0
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer
    waiting.get(answer.id ?? 0)?.(answer)
    waiting.delete(answer.id ?? 0)
  }
  return async <Result>(method: string, params: object, sessionId?: string) => {
    const id = ++last
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
    const { result, error } = await answered
    if (error) throw new Error(`${method}: ${error.message}`)
    return result as Result
  }
}

async function end(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return
  const ended = once(process, 'exit')
  process.kill()
  await ended
}
