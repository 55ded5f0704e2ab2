// The language model that some browsers bring along (the Prompt API), as the page gives it to the book's worker: workers
// have no such model. Invariant: every question is asked in a session of its own, cloned from one that has only the
// instruction, so that no conversation is ever seen by another; and nothing is downloaded unless the page asks for it.
import { failed } from '../../../book/share/line-message.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { LlmQuestion } from '../../../core/ports.ts'
import { type ModelLanguages, type PageModel } from '../wire/message.ts'

/** What the browser says of its model: it has none, could fetch it, is fetching it, or has it. */
export type ModelAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

export interface DownloadOptions extends ModelLanguages {
  readonly signal?: AbortSignal
  /** Hears how much of the model is there, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

interface Session {
  prompt(text: string, options: object): Promise<string>
  clone(options: object): Promise<Session>
  destroy(): void
}
interface LanguageModel {
  availability(options: object): Promise<ModelAvailability>
  create(options: object): Promise<Session>
}

/** Longest answer that is taken, in UTF-16 units. */
const answerLimit = 100_000
/** A session costs memory: one that was not used for this long is let go. */
const idleMs = 120_000

const modelOf = (): LanguageModel | undefined =>
  (globalThis as { LanguageModel?: LanguageModel }).LanguageModel

function kindOf({ languages }: ModelLanguages): object {
  if (!languages?.length) return {}
  const expected = [{ type: 'text', languages: [...languages] }]
  return { expectedInputs: expected, expectedOutputs: expected }
}

/** The browser's own model: whether it is there, and fetching it. */
export const builtInModel = {
  /** What the browser says of its model; `unavailable` where it has none. */
  async availability(options: ModelLanguages = {}): Promise<ModelAvailability> {
    return (await modelOf()?.availability(kindOf(options))) ?? 'unavailable'
  },

  /**
   * Has the browser fetch its model, which may be gigabytes; resolves when it can be used. Browsers want a click or a key
   * press before they begin. Rejects with `model-unavailable` where there is none or it can't be fetched, and `aborted`.
   */
  async download({ signal, onProgress, ...languages }: DownloadOptions = {}): Promise<void> {
    const model = modelOf()
    if (!model) throw noModel()
    try {
      const session = await model.create({
        ...kindOf(languages),
        ...(signal ? { signal } : {}),
        monitor: (monitor: EventTarget) =>
          monitor.addEventListener('downloadprogress', (event) =>
            onProgress?.((event as ProgressEvent).loaded),
          ),
      })
      session.destroy()
    } catch (error) {
      throw translate(error, signal)
    }
  },
}

/** Answers a worker's questions by the browser's model. */
export function createPageModel(languages: ModelLanguages): Omit<PageModel, 'key'> & { close(): void } {
  const bases = new Map<string, Promise<Session>>()
  const running = new Map<number, AbortController>()
  let idle: ReturnType<typeof setTimeout> | undefined

  const close = () => {
    clearTimeout(idle)
    for (const base of bases.values())
      base.then(
        (session) => session.destroy(),
        () => undefined,
      )
    bases.clear()
  }

  const start = async (instruction: string): Promise<Session> => {
    const model = modelOf()
    const availability = model ? await model.availability(kindOf(languages)) : 'unavailable'
    if (!model || availability === 'unavailable') throw noModel()
    if (availability !== 'available') {
      throw new DaybookError(
        'model-unavailable',
        `The browser's model is ${availability}, and not here yet.`,
        {
          details: { availability },
          retry: true,
        },
      )
    }
    return model.create({ ...kindOf(languages), initialPrompts: [{ role: 'system', content: instruction }] })
  }

  const baseOf = (instruction: string) => {
    const known = bases.get(instruction)
    if (known) return known
    const base = start(instruction)
    bases.set(instruction, base)
    base.catch(() => bases.delete(instruction))
    return base
  }

  /** A session that has the instruction and nothing else. One that the browser has ended meanwhile is made anew. */
  const open = async (instruction: string, signal: AbortSignal): Promise<Session> => {
    const known = bases.get(instruction)
    try {
      return await (await baseOf(instruction)).clone({ signal })
    } catch (error) {
      if (known === undefined || signal.aborted || isDaybookError(error)) throw error
      if (bases.get(instruction) === known) bases.delete(instruction)
      return (await baseOf(instruction)).clone({ signal })
    }
  }

  const ask = async ({ instruction, text }: LlmQuestion, signal: AbortSignal): Promise<string> => {
    const session = await open(instruction, signal)
    try {
      const shape = { responseConstraint: { type: 'object' }, omitResponseConstraintInput: true }
      return await session.prompt(text, { signal, ...shape }).catch((error: unknown) => {
        // A browser that can't hold an answer to a shape may still give one: whoever asks checks it.
        if (nameOf(error) !== 'NotSupportedError') throw error
        return session.prompt(text, { signal })
      })
    } finally {
      session.destroy()
    }
  }

  return {
    close,
    async answer(number, question) {
      const abort = new AbortController()
      running.set(number, abort)
      clearTimeout(idle)
      try {
        const value = await ask(question, abort.signal)
        if (value === '') throw new DaybookError('model-unavailable', 'The model said nothing.')
        if (value.length > answerLimit)
          throw new DaybookError('model-unavailable', "The model's answer is too long.", { retry: false })
        return { ok: true, value }
      } catch (error) {
        return failed(translate(error, abort.signal))
      } finally {
        running.delete(number)
        if (running.size === 0) idle = setTimeout(close, idleMs)
      }
    },
    abort: (number) => running.get(number)?.abort(),
  }
}

const nameOf = (error: unknown) => (error as { name?: unknown } | null)?.name

const noModel = () =>
  new DaybookError('model-unavailable', 'This browser has no language model of its own.', { retry: false })

function translate(error: unknown, signal: AbortSignal | undefined): DaybookError {
  if (signal?.aborted) return new DaybookError('aborted', undefined, { cause: error })
  if (isDaybookError(error)) return error
  const why: Readonly<Record<string, string>> = {
    QuotaExceededError: "The text is longer than the browser's model takes.",
    NotAllowedError: "The browser lets nobody at its model here, or not without the user's click.",
    NotSupportedError: "The browser's model does not know the language.",
  }
  const known = why[String(nameOf(error))]
  return new DaybookError('model-unavailable', known ?? "The browser's model failed.", {
    cause: error,
    retry: known === undefined,
  })
}
