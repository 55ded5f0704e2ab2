// Reads chats in the shape of OpenAI's chat completions: a list of messages, `{ messages }`, or one such object a line.
// What was said becomes messages, each tool call with the answer to it a trace. Chats carry no times: they end when the
// file was written, a second for each message. Thoughts, and answers to no call, are left out and counted.
import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import { createLeftOut, type Draft, type Drafts, messageDrafts, type SourceFile, toolDraft } from './draft.ts'
import { readJson, readLines, readShape } from './file-fault.ts'
import { isAnswer, pairCalls } from './openai-calls.ts'
import { hasExactNumbers } from '../../core/json/exact-number.ts'

const part = z.looseObject({
  type: z.string().optional(),
  text: z.string().optional(),
  refusal: z.string().optional(),
})
const called = z.looseObject({ name: z.string().min(1).max(1000), arguments: z.string().optional() })
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
  refusal: z.string().nullish(),
  name: z.string().max(1000).optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        function: called,
      }),
    )
    .nullish(),
  function_call: called.nullish(),
})
/** Fields in which programs keep the thoughts of a model. */
const thoughts = ['reasoning_content', 'reasoning'] as const
const messages = z.array(message).min(1).max(100_000)
const chat = z.looseObject({ messages })

export function looksLikeChat(value: unknown): boolean {
  const list = Array.isArray(value) ? value : isJsonObject(value) ? value['messages'] : undefined
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isJsonObject(first) && typeof first['role'] === 'string'
}

export function parseOpenAiChat(file: SourceFile, isLines: boolean): Drafts {
  const { name, text, hash, recordedMs } = file
  const chats = isLines
    ? readLines(name, text).map(({ line, value }) => readShape(name, `line ${line}`, chat, value).messages)
    : [readWhole(name, text)]
  const session = `chat:${name
    .replace(/\.jsonl?$/i, '')
    .slice(0, 200)
    .toWellFormed()}:${hash.slice(0, 8)}`
  const total = chats.reduce((sum, one) => sum + one.length, 0)
  const records: Draft[] = []
  const left = createLeftOut()
  let n = 0
  for (const [c, said] of chats.entries()) {
    const own = chats.length > 1 ? `${session}:${c + 1}` : session
    const { callsOf, strays } = pairCalls(said)
    for (const { role } of strays) left.add(role)
    let goal = ''
    let previous: string | undefined
    for (const one of said) {
      n += 1
      const id = `chat-${hash}-${n}`
      const at = formatTime(recordedMs - (total - n) * 1000)
      if (one.role === 'user') goal = contentText(one)
      const spoken = { id, text: contentText(one), role: one.role, at, metadata: { file: name } }
      for (const name of thoughts) if (one[name]) left.add(name)
      if (!isAnswer(one))
        records.push(...messageDrafts(one.name === undefined ? spoken : { ...spoken, name: one.name }, own))
      for (const [i, { called, answer }] of callsOf(one).entries()) {
        const trace = {
          id: `${id}-${i + 1}`,
          tool: called.name,
          input: parameters(called.arguments),
          goal,
          at,
          channel: 'chat',
          context: { file: name },
          previous,
          answer: answer && { text: contentText(answer), failed: false },
        }
        records.push(toolDraft(trace, own))
        previous = trace.id
      }
    }
  }
  return { session, records, leftOut: left.counts }
}

function readWhole(name: string, text: string) {
  const value = readJson(name, text)
  return Array.isArray(value)
    ? readShape(name, '', messages, value)
    : readShape(name, '', chat, value).messages
}

/** Arguments are JSON as text, written by a model: what is none, or has numbers that would be others here, is kept as it is. */
function parameters(text: string | undefined): JsonObject {
  try {
    const value = JSON.parse(text ?? '{}') as Json
    if (text !== undefined && !hasExactNumbers(text)) return { arguments: text }
    return isJsonObject(value) ? value : { value }
  } catch {
    return { arguments: text ?? '' }
  }
}

/** What was said; a picture or a sound leaves a mark where it was. */
function contentText({ content, refusal }: z.output<typeof message>): string {
  if (typeof content === 'string') return content
  if (!content) return refusal ?? ''
  return content.map((one) => one.text ?? one.refusal ?? `[${one.type ?? 'attachment'}]`).join('\n')
}
