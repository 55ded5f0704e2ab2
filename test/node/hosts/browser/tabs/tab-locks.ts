// The locks of an origin in a world of tabs, as Web Locks have them: one holder at a time, in the order of asking.

interface Waiting<Tab> {
  readonly tab: Tab
  readonly grant: () => void
}

export class TabLocks<Tab> {
  readonly #locks = new Map<string, { readonly holder: Tab; readonly free: () => void }>()
  readonly #queues = new Map<string, Waiting<Tab>[]>()
  readonly #soon: (tab: Tab, name: string, granted: () => void) => void

  /** `soon` lets a tab hear later that it has a lock. */
  constructor(soon: (tab: Tab, name: string, granted: () => void) => void) {
    this.#soon = soon
  }

  take(tab: Tab, name: string, signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const grant = () => {
        const held = this.#locks.get(name)
        resolve(() => held?.holder === tab && held.free())
      }
      const queue = this.#queues.get(name) ?? []
      this.#queues.set(name, queue)
      const waiting = { tab, grant }
      queue.push(waiting)
      signal?.addEventListener('abort', () => {
        const at = queue.indexOf(waiting)
        if (at < 0) return
        queue.splice(at, 1)
        reject(new Error('aborted'))
      })
      this.#giveNext(name)
    })
  }

  /** That tab neither holds nor waits for any. */
  forget(tab: Tab): void {
    for (const [name, queue] of this.#queues) {
      const others = queue.filter((one) => one.tab !== tab)
      queue.splice(0, queue.length, ...others)
      const held = this.#locks.get(name)
      if (held?.holder === tab) held.free()
    }
  }

  #giveNext(name: string): void {
    if (this.#locks.has(name)) return
    const next = this.#queues.get(name)?.shift()
    if (!next) return
    let isFreed = false
    const free = () => {
      if (isFreed || this.#locks.get(name)?.free !== free) return
      isFreed = true
      this.#locks.delete(name)
      this.#giveNext(name)
    }
    this.#locks.set(name, { holder: next.tab, free })
    this.#soon(next.tab, name, next.grant)
  }
}
