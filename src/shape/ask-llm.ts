// Requests JSON from a language model, and accepts only an answer that fits the schema.
import type { z } from 'zod'
import type { AbortSignalLike } from '../core/abort.ts'
import { faultText, isDaybookError } from '../core/errors.ts'
import { plainMessage, valueAt } from '../core/plain-issue.ts'
import type { Llm, LlmQuestion } from '../core/ports.ts'

/** The value; or the reason of a failure, as a sentence for people, and whether a retry may succeed. */
export type LlmReply<Value> =
  | { readonly value: Value; readonly failed?: undefined }
  | { readonly failed: string; readonly retry: boolean }

/** Reason of a failure: the model may not read sensitive texts. */
export const sensitiveNotSent =
  'Sensitive texts are not sent to the language model unless `llm.sensitive` allows it.'

/** Many models put a fence around the whole answer. With other text beside the JSON, the answer is invalid. */
const fence = /^```(?:json)?\s*\n([\s\S]*)\n```$/

/**
 * Sends `question` to `llm` and validates the answer. Throws every error of `llm` except `model-unavailable`:
 * `aborted`, for example.
 */
export async function askJson<Shape extends z.ZodType>(
  llm: Llm,
  question: LlmQuestion,
  shape: Shape,
  signal: AbortSignalLike,
): Promise<LlmReply<z.output<Shape>>> {
  let answer: string
  try {
    answer = (await llm.answer(question, signal)).trim()
  } catch (error) {
    if (!isDaybookError(error, 'model-unavailable')) throw error
    return { failed: error.message, retry: error.retry }
  }
  try {
    const value: unknown = JSON.parse(fence.exec(answer)?.[1] ?? answer)
    const parsed = shape.safeParse(value)
    if (parsed.success) return { value: parsed.data }
    const [issue] = parsed.error.issues
    const path = issue?.path.map(String) ?? []
    const message = issue ? plainMessage(issue, valueAt(value, path)) : 'is not valid'
    const fault = faultText(path.join('.'), message, 'The answer')
    return { failed: `The model's answer does not fit: ${fault}.`, retry: false }
  } catch {
    return { failed: "The model's answer is not JSON.", retry: false }
  }
}

/** Wraps a user's text in tags that the text can't imitate, so that the model gets it as data. */
export function asData(name: string, text: string): string {
  return `<${name}>\n${text.replaceAll(/<(?=\/?[a-z])/gi, '‹')}\n</${name}>`
}

/** Joins lines to as few texts of at most `limit` UTF-16 units as their order allows; splits a longer line. */
export function partition(lines: readonly string[], limit: number): string[] {
  const pieces = lines.flatMap((line) => {
    const count = Math.max(1, Math.ceil(line.length / limit))
    return Array.from({ length: count }, (_, i) => line.slice(i * limit, (i + 1) * limit).toWellFormed())
  })
  const parts: string[] = []
  for (const piece of pieces) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + 1 + piece.length <= limit)
      parts[parts.length - 1] = `${last}\n${piece}`
    else parts.push(piece)
  }
  return parts
}
