// Opens books of the contract in workers that have had others before: to read, compile and evaluate a worker anew takes longer
// than most of its tests. What is opened again begins in a new worker, so that nothing is found there but what was kept.
// Invariant: what a page has of a worker behaves as `Worker` does; one that fails, or is ended before its book is closed, ends.

/** So that nothing piles up in one. */
const mostBooks = 20
const NewWorker = globalThis.Worker

interface Kept {
  readonly worker: Worker
  /** From where, with what it is to be without. */
  readonly href: string
  books: number
}

const idle: Kept[] = []
let isWarmWanted = false

/** A worker of `withWarmWorkers`, as the page sees it. */
class WarmWorker extends EventTarget {
  readonly #kept: Kept
  readonly #port: MessagePort
  readonly #listening = new AbortController()
  #isEnded = false

  constructor(kept: Kept) {
    super()
    const { port1, port2 } = new MessageChannel()
    this.#kept = kept
    this.#port = port1
    kept.books += 1
    const { signal } = this.#listening
    for (const type of ['message', 'messageerror'] as const)
      port1.addEventListener(type, ({ data, ports }) =>
        this.dispatchEvent(new MessageEvent(type, { data: data as unknown, ports: [...ports] })),
      )
    kept.worker.addEventListener('error', (event) => this.dispatchEvent(new ErrorEvent('error', event)), {
      signal,
    })
    port1.start()
    kept.worker.postMessage(port2, [port2])
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer)
  }

  terminate(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#listening.abort()
    this.#port.close()
    const { worker, books } = this.#kept
    if (books >= mostBooks) return worker.terminate()
    const giveUp = new AbortController()
    const { signal } = giveUp
    const answered = ({ data }: MessageEvent) => {
      giveUp.abort()
      if (data === 'free') idle.push(this.#kept)
      else worker.terminate()
    }
    const failed = () => {
      giveUp.abort()
      worker.terminate()
    }
    worker.addEventListener('message', answered, { signal })
    worker.addEventListener('error', failed, { signal })
    worker.postMessage('end')
  }
}

/** Has `open` begin in a worker that was used before, if there is one. */
export function openWarm<Result>(open: () => Promise<Result>): Promise<Result> {
  isWarmWanted = true
  try {
    // The page asks for its worker before it first waits for anything.
    return open()
  } finally {
    isWarmWanted = false
  }
}

/** The same for each name that was not opened before; what is opened again begins in a new worker. */
export function firstOpen<Rest extends readonly unknown[], Result>(
  open: (name: string, ...rest: Rest) => Promise<Result>,
): (name: string, ...rest: Rest) => Promise<Result> {
  const known = new Set<string>()
  return (name, ...rest) => {
    if (known.has(name)) return open(name, ...rest)
    known.add(name)
    return openWarm(() => open(name, ...rest))
  }
}

/** How many could be used again. */
export const idleWorkers = (): number => idle.length

function takeWarm(url: string | URL, options: WorkerOptions | undefined): Kept {
  const href = String(url).replace(/worker\.js(?=$|\?)/, 'warm.js')
  const at = idle.findIndex((kept) => kept.href === href)
  const [found] = at < 0 ? [] : idle.splice(at, 1)
  return found ?? { worker: new NewWorker(href, options), href, books: 0 }
}

globalThis.Worker = new Proxy(NewWorker, {
  construct(target, [url, options]: [string | URL, WorkerOptions?]) {
    if (!isWarmWanted) return new target(url, options)
    isWarmWanted = false
    return new WarmWorker(takeWarm(url, options))
  },
})
