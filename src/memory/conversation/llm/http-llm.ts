// A language model behind an OpenAI-compatible endpoint: POST {url}/chat/completions.
// Invariant: an answer has a largest size, redirects are not followed, and a request ends at its deadline.
import { z } from 'zod'
import { checkAddress, checkKey } from '../../../core/address.ts'
import { type AbortSignalLike, createDeadline, orAborted } from '../../../core/abort.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import type { Llm, LlmQuestion, Scheduler } from '../../../core/ports.ts'

export interface HttpLlmOptions {
  /** Base address of the service, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly model: string
  /** Key of the service, or a function that returns the key before each request. A local model may need none. */
  readonly key?: string | (() => Promise<string>)
  /** Milliseconds until a question times out; default 60,000. */
  readonly deadlineMs?: number
  /** Most characters of text for one question; default 24,000 (about 6,000 tokens of English). */
  readonly limitChars?: number
  /** True: texts of sensitive records are sent too. Default false. */
  readonly sensitive?: boolean
}

/** Parts of the web platform that a request needs. `globalThis` has them in a worker, in Node and at the edge. */
export interface WebPlatform<Signal> {
  fetch(
    url: string,
    init: {
      method: 'POST'
      headers: Record<string, string>
      body: string
      redirect: 'manual'
      signal: Signal
    },
  ): Promise<WebResponse>
  readonly AbortController: new () => { readonly signal: Signal; abort(): void }
  readonly TextDecoder: new () => { decode(bytes: Uint8Array, options: { stream: boolean }): string }
}

interface WebResponse {
  readonly status: number
  readonly body: { getReader(): WebReader } | null
}
interface WebReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** Most bytes of an answer. */
export const maxAnswerBytes = 256 * 1024
/** Most tokens of an answer, as a request to the service. */
const maxAnswerTokens = 1200

/** The parts of an answer that are used; the format is that of OpenAI. */
const completion = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({ content: z.string().nullish() }),
      }),
    )
    .min(1),
})

/**
 * Makes a model over HTTP. `scheduler`: the timers of the host, for the deadline. Throws `invalid-input` for
 * an invalid address, model name or key.
 */
export function createHttpLlm<Signal>(
  options: HttpLlmOptions,
  { web, scheduler }: { web: WebPlatform<Signal>; scheduler: Scheduler },
): Llm {
  const { key, model, deadlineMs = 60_000, limitChars = 24_000 } = options
  const url = `${checkAddress(options.url, 'llm.url')}/chat/completions`
  if (typeof model !== 'string' || model === '' || model.length > 200) {
    throw invalidInput('llm.model', 'Pass the name of a model')
  }
  if (typeof key === 'string') checkKey(key, 'llm.key')

  /** The key for one request; a function that returns it is left when `signal` aborts. */
  const readKey = async (signal: AbortSignalLike) =>
    typeof key === 'function' ? checkKey(await orAborted(Promise.resolve(key()), signal), 'llm.key') : key

  /** Sends one request. `isPlain`: without the options that some services don't support. */
  const post = async (
    { instruction, text }: LlmQuestion,
    isPlain: boolean,
    { secret, signal }: { secret: string | undefined; signal: Signal },
  ) => {
    const messages = [
      { role: 'system', content: instruction },
      { role: 'user', content: text },
    ]
    const modelOptions = isPlain
      ? {}
      : { temperature: 0, max_tokens: maxAnswerTokens, response_format: { type: 'json_object' } }
    const response = await web.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      },
      body: JSON.stringify({ model, messages, stream: false, ...modelOptions }),
      // The edge doesn't support `error`. With `manual`, a redirect is an answer with status 0 or 3xx, which fails.
      redirect: 'manual',
      signal,
    })
    return { status: response.status, text: await readBodyText(response, new web.TextDecoder()) }
  }

  return {
    name: `api|${model}`,
    limitChars,
    takesSensitive: options.sensitive === true,
    async answer(question, signal) {
      const abort = new web.AbortController()
      const deadline = createDeadline(signal, scheduler, deadlineMs)
      deadline.signal.addEventListener('abort', () => abort.abort(), { once: true })
      try {
        if (signal.aborted) throw new DaybookError('aborted')
        const send = async (isPlain: boolean) =>
          await post(question, isPlain, { secret: await readKey(deadline.signal), signal: abort.signal })
        let answer = await send(false)
        // Services support different options; every service supports the plain request.
        if (answer.status === 400 || answer.status === 422) answer = await send(true)
        return parseCompletion(answer)
      } catch (error) {
        throw toLlmError(
          error,
          signal,
          deadline.isOver() ? `No answer came within ${deadlineMs} ms.` : undefined,
        )
      } finally {
        deadline.end()
      }
    },
  }
}

/**
 * Returns the text of a complete answer. Else throws `model-unavailable`; `retry`: the same call may succeed
 * later.
 */
function parseCompletion({ status, text }: { status: number; text: string }): string {
  if (status === 0 || (status >= 300 && status < 400)) {
    throw new DaybookError('model-unavailable', "The model's service sends its callers elsewhere.", {
      retry: false,
    })
  }
  if (status < 200 || status > 299) {
    const retry = status === 408 || status === 429 || status >= 500
    throw new DaybookError('model-unavailable', `The model's service answered with status ${status}.`, {
      details: { status },
      retry,
    })
  }
  const parsed = completion.safeParse(parseJson(text))
  const choice = parsed.data?.choices[0]
  if (!choice)
    throw new DaybookError('model-unavailable', "The model's service did not answer a chat completion.")
  if (choice.finish_reason === 'length')
    throw new DaybookError('model-unavailable', "The model's answer was cut off; raise the model's limit.")
  if (!choice.message.content) throw new DaybookError('model-unavailable', "The model's answer is empty.")
  return choice.message.content
}

async function readBodyText(
  { body }: WebResponse,
  decoder: { decode(bytes: Uint8Array, options: { stream: boolean }): string },
): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || !value) return text + decoder.decode(new Uint8Array(), { stream: false })
    bytes += value.length
    if (bytes > maxAnswerBytes) {
      void reader.cancel().catch(() => undefined)
      throw new DaybookError(
        'model-unavailable',
        `The model's answer is longer than ${maxAnswerBytes} bytes.`,
      )
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Makes the error of a failed question. `timeoutMessage`: set if the deadline is over. */
function toLlmError(
  error: unknown,
  signal: AbortSignalLike,
  timeoutMessage: string | undefined,
): DaybookError {
  if (signal.aborted) return new DaybookError('aborted', undefined, { cause: error })
  if (timeoutMessage !== undefined)
    return new DaybookError('model-unavailable', timeoutMessage, { cause: error })
  if (error instanceof DaybookError) return error
  // `fetch` gives no reason. The error contains neither the question nor the key.
  return new DaybookError('model-unavailable', "The model's service could not be reached.", { cause: error })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
