// `daybook/ai-sdk`: adds memory to a model of the AI SDK. It recalls relevant records before a call, and stores the
// turn after the call.
// Invariant: a turn is stored once, after its last step, also if earlier steps called tools.
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

/** Maximum UTF-16 units of a question to recall. */
const maxQueryLength = 10_000

export interface RememberOptions {
  /** Maximum estimated tokens of recalled text. Default: 1,500. 0 recalls nothing. */
  readonly budgetTokens?: number
  /** Default: true. False: the turn is not stored. */
  readonly store?: boolean
  /**
   * Called when a recall or a write fails; the model call then continues. Default: the model call fails with that
   * error, even after the model answered.
   */
  readonly onError?: (error: unknown) => void
}

/**
 * Wraps `model` with the memory of `book`. Recalled text becomes the first part of the user's last message, never a
 * system message, because models trust system messages most. The user's last message and the answer are stored in the
 * book's conversation. Set the session with a handle: `book.with({ session })`.
 */
export function withDaybook(
  model: Model,
  book: Pick<Daybook, 'context' | 'conversation'>,
  { budgetTokens = 1500, store = true, onError }: RememberOptions = {},
): ReturnType<typeof wrapLanguageModel> {
  const throwOrReport = (error: unknown) => {
    if (!onError) throw error
    onError(error)
  }
  const storeTurn = async (prompt: Prompt, answer: string, isDone: boolean) => {
    if (!store || !isDone) return
    const messages = [
      ...splitText(lastQuestion(prompt)).map((content) => ({ content, source: { role: 'user' } })),
      ...splitText(answer).map((content) => ({ content, source: { role: 'assistant' } })),
    ]
    if (messages.length > 0) await book.conversation.storeMany({ messages } as never).catch(throwOrReport)
  }
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async transformParams({ params }) {
        const text = lastQuestion(params.prompt).slice(0, maxQueryLength)
        if (text === '' || budgetTokens === 0) return params
        const signal = params.abortSignal ? { signal: params.abortSignal } : {}
        // Undefined: the recall failed, and `onError` got the error.
        const found = await book.context({ text, budgetTokens }, signal).catch(throwOrReport)
        if (!found || found.items.length === 0) return params
        return { ...params, prompt: withEvidence(params.prompt, found.text) }
      },
      async wrapGenerate({ doGenerate, params }) {
        const result = await doGenerate()
        const answer = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
        await storeTurn(params.prompt, answer, isTurnDone(result.finishReason.unified))
        return result
      },
      async wrapStream({ doStream, params }) {
        const { stream, ...rest } = await doStream()
        let answer = ''
        const storingStream = new TransformStream<StreamPart, StreamPart>({
          async transform(part, out) {
            if (part.type === 'text-delta') answer += part.delta
            if (part.type === 'finish')
              await storeTurn(params.prompt, answer, isTurnDone(part.finishReason.unified))
            out.enqueue(part)
          },
        })
        return { ...rest, stream: stream.pipeThrough(storingStream) }
      },
    },
  })
}

/** False for a step that called tools (the turn continues) and for a failed step. */
const isTurnDone = (reason: string) => reason !== 'tool-calls' && reason !== 'error'

/** Provider options of a recalled part. They separate recalled text from the user's own text. */
const recalledPartOptions = { daybook: { recalled: true } }

/** Adds `evidence` before the user's last question. None of its lines can close the tag: see `src/recall/pack.ts`. */
function withEvidence(prompt: Prompt, evidence: string): Prompt {
  const lastUserIndex = prompt.findLastIndex(({ role }) => role === 'user')
  return prompt.map((message, i) => {
    if (i !== lastUserIndex || message.role !== 'user') return message
    const text = `<recalled_memory>\n${evidence}\n</recalled_memory>`
    return {
      ...message,
      content: [{ type: 'text' as const, text, providerOptions: recalledPartOptions }, ...message.content],
    }
  })
}

/** Returns the text of the user's last message, without recalled text. */
function lastQuestion(prompt: Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'user')
  if (last?.role !== 'user') return ''
  return last.content
    .flatMap((part) => {
      const isUserText = part.type === 'text' && part.providerOptions?.['daybook']?.['recalled'] !== true
      return isUserText ? [part.text] : []
    })
    .join('\n')
}

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
 * the SDK passes this error to the model.
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
        const { hits } = await book.recall({ text: query, limit }, abortSignal ? { signal: abortSignal } : {})
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
