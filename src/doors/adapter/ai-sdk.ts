// `daybook/ai-sdk`: adds memory to a model of the AI SDK. It recalls relevant records before a call, and stores what
// the user and the model said after the call.
// Invariant: the user's message is stored once, with the first step of its turn; each later step adds its own text.
import { type LanguageModelMiddleware, wrapLanguageModel, jsonSchema, tool } from 'ai'
import type { Daybook } from '../../book/daybook.ts'
import { messagePieces } from '../../core/text/text-pieces.ts'
import { shownValue } from '../../core/text/shown-text.ts'
import { toolRequestId } from '../../core/text/tool-request.ts'

type Model = Parameters<typeof wrapLanguageModel>[0]['model']
type Transform = NonNullable<LanguageModelMiddleware['transformParams']>
type CallOptions = Parameters<Transform>[0]['params']
type Prompt = CallOptions['prompt']
type Stream = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>>['stream']
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never
type MemoryBook = Pick<Daybook, 'context' | 'conversation'>

/** Maximum UTF-16 units of a question to recall. */
const maxQueryLength = 10_000
/** Most texts of a prompt that recall leaves out, and most turns whose evidence is cached. */
const maxKnownTexts = 1000
const maxCachedTurns = 100

export interface RememberOptions {
  /** Maximum estimated tokens of recalled text. Default: 1,500. 0 recalls nothing, and adds no rules. */
  readonly budgetTokens?: number
  /** Default: true. False: the turn is not stored. */
  readonly store?: boolean
  /**
   * Called when a recall or a write fails; the model call then continues. Default: the model call fails with that
   * error, even after the model answered. An abort is no failure: it ends the call in any case.
   */
  readonly onError?: (error: unknown) => void
}

/**
 * Wraps `model` with the memory of `book`. Recalled text becomes the last part of the user's last message, never a
 * system message, because models trust system messages most; so a provider's cache still has all before it. Messages
 * that are in the prompt are not recalled. Each step's text is stored in the book's conversation. Set the session with
 * a handle: `book.with({ session })`. The user's standing rules become a system message after those of the prompt.
 */
export function withDaybook(
  model: Model,
  book: MemoryBook,
  options: RememberOptions = {},
): ReturnType<typeof wrapLanguageModel> {
  const memory = new ModelMemory(book, options)
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      transformParams: ({ params }) => memory.addEvidence(params),
      async wrapGenerate({ doGenerate, params }) {
        const result = await doGenerate()
        const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
        await memory.storeStep(params.prompt, text, result.finishReason.unified)
        return result
      },
      async wrapStream({ doStream, params }) {
        const { stream, ...rest } = await doStream()
        const storeStep = (text: string, reason: StepEnd) => memory.storeStep(params.prompt, text, reason)
        return { ...rest, stream: withStepStored(stream, storeStep, params.abortSignal) }
      },
    },
  })
}

/** The AI SDK's reason for the end of a step; `interrupted`: its reader ended it. */
type StepEnd = 'interrupted' | Extract<StreamPart, { type: 'finish' }>['finishReason']['unified']

/** Texts from the book for a prompt; each may be empty. */
interface Recalled {
  readonly rules: string
  readonly evidence: string
}
const nothing: Recalled = { rules: '', evidence: '' }

/** The memory of one model: evidence for its prompts, and storage of its steps. */
class ModelMemory {
  readonly #book: MemoryBook
  readonly #budgetTokens: number
  readonly #isStoring: boolean
  readonly #onError: RememberOptions['onError']
  /** The recalled texts of each turn, the oldest first: all steps of a turn get the same, or caches would miss. */
  readonly #recalled = new Map<string, Recalled>()

  constructor(book: MemoryBook, { budgetTokens = 1500, store = true, onError }: RememberOptions) {
    this.#book = book
    this.#budgetTokens = budgetTokens
    this.#isStoring = store
    this.#onError = onError
  }

  async addEvidence(params: CallOptions): Promise<CallOptions> {
    const { prompt, abortSignal } = params
    const text = lastQuestion(prompt).slice(0, maxQueryLength)
    if (text === '' || this.#budgetTokens === 0) return params
    const turn = `${lastUserIndex(prompt)} ${text}`
    const recalled =
      (isContinued(prompt) ? this.#recalled.get(turn) : undefined) ??
      (await this.#recall(text, prompt, abortSignal))
    abortSignal?.throwIfAborted()
    this.#recalled.delete(turn)
    this.#recalled.set(turn, recalled)
    if (this.#recalled.size > maxCachedTurns) this.#recalled.delete(this.#recalled.keys().next().value ?? '')
    const { rules, evidence } = recalled
    const quoted = evidence === '' ? prompt : withEvidence(prompt, evidence)
    return { ...params, prompt: rules === '' ? quoted : withRules(quoted, rules) }
  }

  /** Returns the rules, and the text of recalled records; nothing after a failed recall. */
  async #recall(text: string, prompt: Prompt, signal: AbortSignal | undefined): Promise<Recalled> {
    const promptTexts = textsOf(prompt)
    const query = {
      text,
      budgetTokens: this.#budgetTokens,
      // A filter takes longer than a plain recall: the first question of a conversation needs none.
      ...(promptTexts.length > 1 ? { filters: { not: { content: { in: promptTexts } } } } : {}),
    }
    const found = await this.#book.context(query, signal ? { signal } : {}).catch((error: unknown) => {
      signal?.throwIfAborted()
      this.#throwOrReport(error)
    })
    if (!found) return nothing
    const { text: rules = '' } = found.rules ?? {}
    // The rules are the beginning of the text.
    return { rules, evidence: found.items.length > 0 ? found.text.slice(rules.length).trimStart() : '' }
  }

  /**
   * Stores what the user said, unless an earlier step of the turn did, and the model's `text`. A failed step is not
   * stored. An incomplete text has the reason in `metadata.finish_reason`.
   */
  async storeStep(prompt: Prompt, text: string, reason: StepEnd): Promise<void> {
    if (!this.#isStoring || reason === 'error') return
    const isWhole = reason === 'stop' || reason === 'tool-calls'
    const metadata = isWhole ? {} : { finish_reason: reason }
    const question = isContinued(prompt) ? '' : lastQuestion(prompt)
    const messages = [
      ...splitText(question).map((content) => ({ content, source: { role: 'user' } })),
      ...splitText(text).map((content) => ({ content, source: { role: 'assistant' }, metadata })),
    ]
    if (messages.length === 0) return
    await this.#book.conversation
      .storeMany({ messages })
      .catch((error: unknown) => this.#throwOrReport(error))
  }

  #throwOrReport(error: unknown): void {
    if (!this.#onError) throw error
    this.#onError(error)
  }
}

/** The same stream; calls `storeStep` with its whole text before its end is read, or when its reader ends it. */
function withStepStored(
  stream: Stream,
  storeStep: (text: string, reason: StepEnd) => Promise<void>,
  signal: AbortSignal | undefined,
): Stream {
  const reader = stream.getReader()
  let text = ''
  let isOver = false
  const end = async (reason: StepEnd) => {
    if (isOver) return
    isOver = true
    if (reason !== 'interrupted' || text.trim() !== '') await storeStep(text, reason)
  }
  return new ReadableStream<StreamPart>(
    {
      async pull(out) {
        const { done, value } = await reader.read().catch(async (error: unknown) => {
          if (signal?.aborted) await end('interrupted')
          throw error
        })
        if (done) return out.close()
        if (value.type === 'text-delta') text += value.delta
        // Some providers send a usual end after an error.
        if (value.type === 'error') await end('error')
        if (value.type === 'finish') await end(value.finishReason.unified)
        out.enqueue(value)
      },
      async cancel(reason) {
        await reader.cancel(reason)
        await end('interrupted')
      },
    },
    { highWaterMark: 0 },
  )
}

/** Provider options of a recalled part. They separate recalled text from the user's own text. */
const recalledPartOptions = { daybook: { recalled: true } }

const lastUserIndex = (prompt: Prompt): number => prompt.findLastIndex(({ role }) => role === 'user')

/** True if the model has answered the user's last message already by a call of a tool. */
const isContinued = (prompt: Prompt): boolean =>
  prompt.slice(lastUserIndex(prompt) + 1).some(({ role }) => role === 'tool')

/** Adds `evidence` after the user's last question. None of its lines can close the tag: see `src/recall/pack.ts`. */
function withEvidence(prompt: Prompt, evidence: string): Prompt {
  const index = lastUserIndex(prompt)
  return prompt.map((message, i) => {
    if (i !== index || message.role !== 'user') return message
    const text = `<recalled_memory>\n${evidence}\n</recalled_memory>`
    return {
      ...message,
      content: [...message.content, { type: 'text' as const, text, providerOptions: recalledPartOptions }],
    }
  })
}

/** Adds the rules after the system messages at the start. */
function withRules(prompt: Prompt, rules: string): Prompt {
  const index = prompt.findIndex(({ role }) => role !== 'system')
  return prompt.toSpliced(index, 0, { role: 'system', content: rules })
}

/** Returns the text of the user's last message, without recalled text. */
function lastQuestion(prompt: Prompt): string {
  const last = prompt[lastUserIndex(prompt)]
  return last ? textOf(last) : ''
}

/** Returns the text of a message as it is stored, without recalled text. */
function textOf({ role, content }: Prompt[number]): string {
  if (role === 'system' || role === 'tool') return ''
  return content
    .flatMap((part) => {
      const isOwnText = part.type === 'text' && part.providerOptions?.['daybook']?.['recalled'] !== true
      return isOwnText ? [part.text] : []
    })
    .join(role === 'user' ? '\n' : '')
}

/** Returns the texts of the prompt's newest messages, as they are stored. */
const textsOf = (prompt: Prompt): string[] =>
  prompt.flatMap((one) => splitText(textOf(one))).slice(-maxKnownTexts)

/** The messages in which `text` is stored: one, unless it is too long. Drops blank ones. */
const splitText = (text: string): string[] => messagePieces(text).filter((piece) => piece.trim() !== '')

/** The schema of the facts that `remember` stores. */
const noteSchema = 'note'

export interface RecallQuery {
  readonly query: string
  readonly limit?: number | undefined
}

/** A record as a model receives it. */
export interface RecalledNote {
  readonly id: string
  readonly kind: string
  readonly when: string
  readonly content: unknown
}

/**
 * Returns the tools `recall` and `remember`, for `tools` of `generateText`, `streamText` or an agent. `remember`
 * stores a fact of the schema `note`, as the agent of the handle. A refused call rejects with a `DaybookError`, and
 * the SDK passes this error to the model. An aborted recall rejects with the reason of the signal.
 */
export function daybookTools(book: Pick<Daybook, 'recall' | 'facts'>) {
  return {
    recall: tool({
      description: 'Looks into the long-term memory for what is relevant to a question. May find nothing.',
      inputSchema: jsonSchema<RecallQuery>({
        type: 'object',
        properties: {
          query: {
            type: 'string',
            minLength: 1,
            maxLength: maxQueryLength,
            description: 'The question, in plain words.',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 50,
            description: 'How many at most; 10 unless said.',
          },
        },
        required: ['query'],
        additionalProperties: false,
      }),
      async execute({ query, limit = 10 }, { abortSignal }): Promise<{ found: RecalledNote[] }> {
        const { hits } = await book
          .recall({ text: query, limit }, abortSignal ? { signal: abortSignal } : {})
          .catch((error: unknown) => {
            abortSignal?.throwIfAborted()
            throw error
          })
        return { found: hits.map(({ record }) => toNote(record)) }
      },
    }),
    remember: tool({
      description:
        'Keeps one thing in the long-term memory, as a sentence that can be understood on its own.',
      inputSchema: jsonSchema<{ readonly text: string }>({
        type: 'object',
        properties: { text: { type: 'string', minLength: 1, maxLength: 10_000 } },
        required: ['text'],
        additionalProperties: false,
      }),
      // The SDK may repeat a call: the request id makes the book store the note once.
      async execute({ text }, { toolCallId, messages }): Promise<{ stored: string }> {
        const note = { schema: noteSchema, data: { text }, source: 'ai-sdk' }
        const requestId = toolRequestId(toolCallId, text, messages)
        const { id } = await book.facts.store(note, { requestId })
        return { stored: id }
      },
    }),
  }
}

const headFields = new Set([
  'id',
  'kind',
  'created_at',
  'updated_at',
  'ver',
  'agent',
  'session',
  'resource',
  'marks',
  'sensitivity',
])

function toNote(record: Readonly<Record<string, unknown>>): RecalledNote {
  const { id, kind, timestamp, created_at } = record
  const content = Object.fromEntries(Object.entries(record).filter(([name]) => !headFields.has(name)))
  const note = { id: String(id), kind: String(kind), when: String(timestamp ?? created_at), content }
  return shownValue(note)
}
