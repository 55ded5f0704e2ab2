// Tabs of one origin, as a worker hears them and takes turns with them: the port `TabPort` in a browser.
import { openChannel, openOwnerLine, openTabLine } from './tab-line.ts'
import { createHubClient } from './hub-client.ts'
import type { LineEnd, TabChannel, TabPort } from './tab-port.ts'

const lock: TabPort['lock'] = (name, signal) =>
  new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((free) => resolve(() => free()))
    navigator.locks.request(name, signal ? { signal } : {}, hold).catch(reject)
  })

/** `BroadcastChannel` and Web Locks, everywhere and without headers; and ports where pages share a hub that gives them. */
export function createBrowserTabs(getHub: () => Promise<MessagePort | undefined>): TabPort {
  // Shared, so that nobody who stands still keeps the news from others.
  const ended = (held: string) => navigator.locks.request(held, { mode: 'shared' }, () => undefined)
  const hub = createHubClient({ getHub, ended })
  return {
    open<In, Out>(name: string, hear: (message: In) => void, line?: LineEnd): TabChannel<Out> {
      if (!line) return openChannel(name, hear)
      return line.of === 'tab'
        ? openTabLine(name, line, hear, hub)
        : openOwnerLine(name, line.epoch, hear, hub)
    },
    lock,
    later(delayMs, task) {
      const timer = setTimeout(task, delayMs)
      return () => clearTimeout(timer)
    },
  }
}
