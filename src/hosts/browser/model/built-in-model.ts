// The browser's own language model (the Prompt API). The page answers the questions of the book's worker,
// because workers don't have this API.
// Invariants: every question gets its own session, cloned from a session with the instruction only, so that
// no question sees another. Nothing is downloaded unless the page calls `download`.
import { failedReply } from '../../../book/share/line-message.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { LlmQuestion } from '../../../core/ports.ts'
import { type ModelLanguages, type PageModel } from '../worker-message.ts'

export type ModelAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

export interface DownloadOptions extends ModelLanguages {
  readonly signal?: AbortSignal
  /** Called with the downloaded share, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** The used part of the Prompt API. */
interface Session {
  prompt(text: string, options: object): Promise<string>
  clone(options: object): Promise<Session>
  destroy(): void
}
interface LanguageModel {
  availability(options: object): Promise<ModelAvailability>
  create(options: object): Promise<Session>
}

/** Longest accepted answer, in UTF-16 code units. */
const answerLimit = 100_000
/** Time without questions after which all sessions are released, because they use memory. */
const idleMs = 120_000

const modelOf = (): LanguageModel | undefined =>
  (globalThis as { LanguageModel?: LanguageModel }).LanguageModel

/** The languages as options of the Prompt API. */
function languageOptions({ languages }: ModelLanguages): object {
  if (!languages?.length) return {}
  const expected = [{ type: 'text', languages: [...languages] }]
  return { expectedInputs: expected, expectedOutputs: expected }
}

/** Queries and downloads the browser's own model. */
export const builtInModel = {
  /** `unavailable` if the browser has no model. */
  async availability(options: ModelLanguages = {}): Promise<ModelAvailability> {
    return (await modelOf()?.availability(languageOptions(options))) ?? 'unavailable'
  },

  /**
   * Downloads the browser's model, which may be gigabytes; resolves when it is ready. Browsers require a
   * click or a key press first. Rejects with `model-unavailable` if there is no model or the download fails,
   * and with `aborted` when `signal` aborts.
   */
  async download({ signal, onProgress, ...languages }: DownloadOptions = {}): Promise<void> {
    const model = modelOf()
    if (!model) throw noModel()
    try {
      const session = await model.create({
        ...languageOptions(languages),
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

/** Keeps one base session for each instruction; each question clones its own session from the base. */
class Sessions {
  readonly #languages: ModelLanguages
  readonly #bases = new Map<string, Promise<Session>>()

  constructor(languages: ModelLanguages) {
    this.#languages = languages
  }

  async ask({ instruction, text }: LlmQuestion, signal: AbortSignal): Promise<string> {
    const session = await this.#open(instruction, signal)
    try {
      // Ask for a JSON object, because every question of a book expects one. Add no schema to the prompt: the
      // instruction describes the object.
      const shape = { responseConstraint: { type: 'object' }, omitResponseConstraintInput: true }
      return await session.prompt(text, { signal, ...shape }).catch((error: unknown) => {
        // Without response constraints the model may still answer with an object; the caller checks the
        // answer.
        if (nameOf(error) !== 'NotSupportedError') throw error
        return session.prompt(text, { signal })
      })
    } finally {
      session.destroy()
    }
  }

  close(): void {
    for (const [instruction, base] of this.#bases) this.#drop(instruction, base)
  }

  /** Releases a base; the next question creates a new one. */
  #drop(instruction: string, base: Promise<Session>): void {
    if (this.#bases.get(instruction) === base) this.#bases.delete(instruction)
    base.then(
      (session) => session.destroy(),
      () => undefined,
    )
  }

  /**
   * Clones the base session of the instruction. If an earlier base can't be cloned, such as after the browser ended
   * it, creates a new base and clones that.
   */
  async #open(instruction: string, signal: AbortSignal): Promise<Session> {
    const existing = this.#bases.get(instruction)
    try {
      return await (await this.#baseOf(instruction)).clone({ signal })
    } catch (error) {
      if (existing === undefined || signal.aborted || isDaybookError(error)) throw error
      this.#drop(instruction, existing)
      return (await this.#baseOf(instruction)).clone({ signal })
    }
  }

  #baseOf(instruction: string): Promise<Session> {
    const existing = this.#bases.get(instruction)
    if (existing) return existing
    const base = this.#create(instruction)
    this.#bases.set(instruction, base)
    base.catch(() => this.#drop(instruction, base))
    return base
  }

  async #create(instruction: string): Promise<Session> {
    const model = modelOf()
    const availability = model ? await model.availability(languageOptions(this.#languages)) : 'unavailable'
    if (!model || availability === 'unavailable') throw noModel()
    if (availability !== 'available')
      throw new DaybookError(
        'model-unavailable',
        `The browser's model is ${availability}: download it first.`,
        {
          details: { availability },
          retry: true,
        },
      )
    const initialPrompts = [{ role: 'system', content: instruction }]
    return model.create({ ...languageOptions(this.#languages), initialPrompts })
  }
}

/** Answers a worker's questions with the browser's model. */
export function createPageModel(languages: ModelLanguages): Omit<PageModel, 'key'> & { close(): void } {
  const sessions = new Sessions(languages)
  /** Questions without an answer, by the number that the worker gave them. */
  const running = new Map<number, AbortController>()
  let idle: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  return {
    close() {
      isClosed = true
      clearTimeout(idle)
      for (const abort of running.values()) abort.abort()
      sessions.close()
    },
    async answer(number, question) {
      const abort = new AbortController()
      running.set(number, abort)
      clearTimeout(idle)
      try {
        const value = await sessions.ask(question, abort.signal)
        if (value === '') throw new DaybookError('model-unavailable', 'The model gave an empty answer.')
        if (value.length > answerLimit)
          throw new DaybookError('model-unavailable', "The model's answer is too long.", { retry: false })
        return { ok: true, value }
      } catch (error) {
        return failedReply(translate(error, abort.signal))
      } finally {
        running.delete(number)
        if (isClosed) sessions.close()
        else if (running.size === 0) idle = setTimeout(() => sessions.close(), idleMs)
      }
    },
    abort: (number) => running.get(number)?.abort(),
  }
}

const nameOf = (error: unknown) => (error as { name?: unknown } | null)?.name

const noModel = () =>
  new DaybookError('model-unavailable', 'This browser has no language model.', { retry: false })

function translate(error: unknown, signal: AbortSignal | undefined): DaybookError {
  if (signal?.aborted) return new DaybookError('aborted', undefined, { cause: error })
  if (isDaybookError(error)) return error
  const why: Readonly<Record<string, string>> = {
    QuotaExceededError: "The text is too long for the browser's model.",
    NotAllowedError: 'The browser does not allow its model here, or only after a click.',
    NotSupportedError: "The browser's model does not support the language.",
  }
  const reason = why[String(nameOf(error))]
  return new DaybookError('model-unavailable', reason ?? "The browser's model failed.", {
    cause: error,
    retry: reason === undefined,
  })
}
