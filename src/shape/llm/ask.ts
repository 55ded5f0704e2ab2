// Asks a language model for JSON and believes nothing of it that does not fit the schema.
import type { z } from 'zod'
import type { AbortSignalLike } from '../../core/abort.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { Llm, LlmQuestion } from '../../core/ports.ts'

/** Either what was asked for, or why it could not be had, in words, and whether a later try may succeed. */
export type Asked<Value> =
  | { readonly value: Value; readonly failed?: undefined }
  | { readonly failed: string; readonly retry: boolean }

/** Why a model was not asked about sensitive texts. */
export const keptFromModel =
  'Sensitive texts are not sent to the language model, unless `llm.sensitive` says that they may be.'

/** One fence around the whole answer is how many models write JSON; anything else beside it is refused. */
const fence = /^```(?:json)?\s*\n([\s\S]*)\n```$/

/** Asks `llm`; throws `aborted` only. */
export async function askJson<Shape extends z.ZodType>(
  llm: Llm,
  question: LlmQuestion,
  shape: Shape,
  signal: AbortSignalLike,
): Promise<Asked<z.output<Shape>>> {
  let answer: string
  try {
    answer = (await llm.answer(question, signal)).trim()
  } catch (error) {
    if (!isDaybookError(error, 'model-unavailable')) throw error
    return { failed: error.message, retry: error.retry }
  }
  try {
    const parsed = shape.safeParse(JSON.parse(fence.exec(answer)?.[1] ?? answer))
    if (parsed.success) return { value: parsed.data }
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'the answer'
    return {
      failed: `The model's answer does not fit: ${where}: ${issue?.message ?? 'is not valid'}.`,
      retry: false,
    }
  } catch {
    return { failed: "The model's answer is not JSON.", retry: false }
  }
}

/** Text of users inside marks that it can't imitate, for a question in which it is data and nothing else. */
export function asData(name: string, text: string): string {
  return `<${name}>\n${text.replaceAll(/<(?=\/?[a-z])/gi, '‹')}\n</${name}>`
}
