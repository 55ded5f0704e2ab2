// A model of the AI SDK that remembers: what is relevant comes before its call, and the turn is kept after it.
// Invariant: a turn is kept once, when its last step is done, however many tools were called in it.
import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai'
import type { Daybook } from '../../../book/daybook.ts'

type Model = Parameters<typeof wrapLanguageModel>[0]['model']
type Transform = NonNullable<LanguageModelMiddleware['transformParams']>
type CallOptions = Parameters<Transform>[0]['params']
type Prompt = CallOptions['prompt']
type Stream = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>>['stream']
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never

/** Longest message that a conversation takes; a longer one is kept as several. */
const messageLength = 16_000

export interface RememberOptions {
  /** Tokens of what is recalled, by estimate. Default 1,500; 0 recalls nothing. */
  readonly budgetTokens?: number
  /** False: nothing is kept of what is said. */
  readonly store?: boolean
  /**
   * Told when the memory failed; the call goes on without it. By default the call fails with that error, also when the model
   * has answered already.
   */
  readonly onError?: (error: unknown) => void
}

/**
 * `model` with the memory of `book`: what recall finds for the last message of the user stands in front of it, in that message, as
 * quoted evidence: never in a system message, whose word models trust most. The message and the answer are messages of the book's conversation. Whose session it is says the handle:
 * `book.with({ session })`.
 */
export function withDaybook(
  model: Model,
  book: Pick<Daybook, 'context' | 'conversation'>,
  { budgetTokens = 1500, store = true, onError }: RememberOptions = {},
): ReturnType<typeof wrapLanguageModel> {
  const failed = (error: unknown) => {
    if (!onError) throw error
    onError(error)
  }
  const keep = async (prompt: Prompt, answer: string, isDone: boolean) => {
    if (!store || !isDone) return
    const messages = [
      ...pieces(lastQuestion(prompt)).map((content) => ({ content, source: { role: 'user' } })),
      ...pieces(answer).map((content) => ({ content, source: { role: 'assistant' } })),
    ]
    if (messages.length > 0) await book.conversation.storeMany({ messages } as never).catch(failed)
  }
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async transformParams({ params }) {
        const text = lastQuestion(params.prompt).slice(0, 10_000)
        if (text === '' || budgetTokens === 0) return params
        const signal = params.abortSignal ? { signal: params.abortSignal } : {}
        const found = await book.context({ text, budgetTokens }, signal).catch(failed)
        if (!found || found.items.length === 0) return params
        return { ...params, prompt: withEvidence(params.prompt, found.text) }
      },
      async wrapGenerate({ doGenerate, params }) {
        const result = await doGenerate()
        const answer = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
        await keep(params.prompt, answer, isTurnDone(result.finishReason.unified))
        return result
      },
      async wrapStream({ doStream, params }) {
        const { stream, ...rest } = await doStream()
        let answer = ''
        const kept = new TransformStream<StreamPart, StreamPart>({
          async transform(part, out) {
            if (part.type === 'text-delta') answer += part.delta
            if (part.type === 'finish')
              await keep(params.prompt, answer, isTurnDone(part.finishReason.unified))
            out.enqueue(part)
          },
        })
        return { ...rest, stream: stream.pipeThrough(kept) }
      },
    },
  })
}

/** What ended in tools goes on, and what failed was no turn. */
const isTurnDone = (reason: string) => reason !== 'tool-calls' && reason !== 'error'

/** Marks what was put in front of a question, for whoever looks for the question later. */
const recalled = { daybook: { recalled: true } }

/** `prompt` with what was recalled in front of the last question. No line of it can be the one that closes it: see `pack`. */
function withEvidence(prompt: Prompt, evidence: string): Prompt {
  const place = prompt.findLastIndex(({ role }) => role === 'user')
  return prompt.map((message, i) => {
    if (i !== place || message.role !== 'user') return message
    const text = `<recalled_memory>\n${evidence}\n</recalled_memory>`
    return {
      ...message,
      content: [{ type: 'text' as const, text, providerOptions: recalled }, ...message.content],
    }
  })
}

/** The text of the last message of the user, without what was recalled for it. */
function lastQuestion(prompt: Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'user')
  if (last?.role !== 'user') return ''
  return last.content
    .flatMap((part) => {
      const isSaid = part.type === 'text' && part.providerOptions?.['daybook']?.['recalled'] !== true
      return isSaid ? [part.text] : []
    })
    .join('\n')
}

/** `text` in pieces that a message takes, none of which ends within a character. */
function pieces(text: string): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length;) {
    const isWithin = /[\ud800-\udbff]/.test(text[at + messageLength - 1] ?? '')
    const end = at + messageLength - (isWithin ? 1 : 0)
    found.push(text.slice(at, end))
    at = end
  }
  return found.filter((piece) => piece.trim() !== '')
}
