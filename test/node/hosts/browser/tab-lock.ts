// Web Locks without a browser: each is granted to whoever asked first, as something that the test lets happen.

export interface SimLocks<Tab> {
  /** Resolves with what frees the lock; rejects when `signal` aborts before it was granted. */
  lock(tab: Tab, name: string, signal?: AbortSignal): Promise<() => void>
  /** The tab is gone: it waits for nothing, and what it had goes to the next. */
  forget(tab: Tab): void
}

/** `happen` is told of each grant, and runs it when it likes. */
export function createSimLocks<Tab>(
  happen: (tab: Tab, name: string, grant: () => void) => void,
): SimLocks<Tab> {
  const locks = new Map<string, { holder: Tab; free: () => void }>()
  const queues = new Map<string, { tab: Tab; grant: () => void }[]>()

  const giveNext = (name: string) => {
    if (locks.has(name)) return
    const next = queues.get(name)?.shift()
    if (!next) return
    let freed = false
    const free = () => {
      if (freed || locks.get(name)?.free !== free) return
      freed = true
      locks.delete(name)
      giveNext(name)
    }
    locks.set(name, { holder: next.tab, free })
    happen(next.tab, name, next.grant)
  }

  return {
    lock: (tab, name, signal) =>
      new Promise((resolve, reject) => {
        const grant = () => {
          const held = locks.get(name)
          resolve(() => held?.holder === tab && held.free())
        }
        const queue = queues.get(name) ?? []
        queues.set(name, queue)
        const entry = { tab, grant }
        queue.push(entry)
        signal?.addEventListener('abort', () => {
          const at = queue.indexOf(entry)
          if (at < 0) return
          queue.splice(at, 1)
          reject(new Error('aborted'))
        })
        giveNext(name)
      }),
    forget(tab) {
      for (const queue of queues.values())
        queue.splice(0, queue.length, ...queue.filter((one) => one.tab !== tab))
      for (const { holder, free } of locks.values()) if (holder === tab) free()
    },
  }
}
