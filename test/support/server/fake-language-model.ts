// A stand-in for the browser's own language model: the shape of the Prompt API, and what a page can observe of it.
// The real one needs gigabytes and a machine that has them.

type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

interface SessionOptions {
  readonly signal?: AbortSignal
  readonly initialPrompts?: readonly { role: string; content: string }[]
  readonly monitor?: (monitor: EventTarget) => void
}

export interface FakeLanguageModel {
  availability(): Promise<Availability>
  create(options: SessionOptions): Promise<unknown>
  /** What it says of itself; a download makes it `available`. */
  state: Availability
  /** How it answers a prompt. */
  reply: (text: string, signal: AbortSignal | undefined) => string | Promise<string>
  /** Every prompt with the instruction that its session had, and what that session was asked before. */
  readonly asked: { instruction: string; text: string; before: number }[]
  /** Sessions made by `create`, and sessions that are not destroyed. */
  created: number
  live: number
  /** Ends all sessions, as browsers do when memory is short. */
  crash(): void
}

/** Longest prompt that it takes, in characters. */
export const quotaChars = 20_000

class Progress extends Event {
  readonly loaded: number
  constructor(loaded: number) {
    super('downloadprogress')
    this.loaded = loaded
  }
}

export function createFakeLanguageModel(state: Availability = 'available'): FakeLanguageModel {
  let generation = 0
  const session = (instruction: string, prompts: number) => {
    const own = generation
    let alive = true
    model.live += 1
    const check = (signal: AbortSignal | undefined) => {
      signal?.throwIfAborted()
      if (!alive || own !== generation) throw new DOMException('The session is gone.', 'InvalidStateError')
    }
    return {
      clone({ signal }: SessionOptions = {}) {
        return Promise.resolve().then(() => {
          check(signal)
          return session(instruction, prompts)
        })
      },
      async prompt(text: string, { signal }: SessionOptions = {}) {
        check(signal)
        if (text.length > quotaChars) throw new DOMException('Too large.', 'QuotaExceededError')
        model.asked.push({ instruction, text, before: prompts++ })
        const answer = Promise.resolve(model.reply(text, signal))
        if (!signal) return answer
        const aborted = new Promise<never>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        )
        return Promise.race([answer, aborted])
      },
      destroy() {
        if (alive) model.live -= 1
        alive = false
      },
    }
  }
  const model: FakeLanguageModel = {
    state,
    asked: [],
    created: 0,
    live: 0,
    reply: () => '{}',
    availability: () => Promise.resolve(model.state),
    async create({ signal, monitor, initialPrompts = [] }) {
      signal?.throwIfAborted()
      if (model.state === 'unavailable') throw new DOMException('None here.', 'NotSupportedError')
      if (model.state !== 'available') {
        const events = new EventTarget()
        monitor?.(events)
        for (const loaded of [0, 0.5, 1]) events.dispatchEvent(new Progress(loaded))
        model.state = 'available'
      }
      model.created += 1
      return session(initialPrompts.map(({ content }) => content).join('\n'), 0)
    },
    crash: () => void (generation += 1),
  }
  return model
}
