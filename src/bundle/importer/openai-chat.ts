// Reads chats in the shape of OpenAI's chat completions: a list of messages, `{ messages }`, or one such object per
// line. Texts become messages; each tool call with its answer becomes a trace. Chats have no times: the last
// message gets the time of the file, each earlier one a second less. Thoughts, and answers without a call, are left
// out and counted.
// Invariant: each answer belongs to at most one call.
import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import { createLeftOut, type Draft, type Drafts, messageDrafts, type SourceFile, toolDraft } from './draft.ts'
import { readFileJson, readLines, readShape } from './file-fault.ts'
import { hasExactNumbers } from '../../core/json/json.ts'

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
/** Fields with the thoughts of a model. */
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
  const skipped = createLeftOut()
  let n = 0
  for (const [c, chatMessages] of chats.entries()) {
    const own = chats.length > 1 ? `${session}:${c + 1}` : session
    const { callsOf, strays } = pairCalls(chatMessages)
    for (const { role } of strays) skipped.add(role)
    let goal = ''
    let previous: string | undefined
    for (const one of chatMessages) {
      n += 1
      const id = `chat-${hash}-${n}`
      const at = formatTime(recordedMs - (total - n) * 1000)
      if (one.role === 'user') goal = contentText(one)
      const draft = { id, text: contentText(one), role: one.role, at, metadata: { file: name } }
      for (const name of thoughts) if (one[name]) skipped.add(name)
      if (!isAnswer(one))
        records.push(...messageDrafts(one.name === undefined ? draft : { ...draft, name: one.name }, own))
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
  return { session, records, leftOut: skipped.counts }
}

function readWhole(name: string, text: string) {
  const value = readFileJson(name, text)
  return Array.isArray(value)
    ? readShape(name, '', messages, value)
    : readShape(name, '', chat, value).messages
}

/**
 * Parses the arguments of a call, which a model wrote as JSON text. Invalid JSON, and numbers that JavaScript can't
 * represent, stay text.
 */
function parameters(text: string | undefined): JsonObject {
  try {
    const value = JSON.parse(text ?? '{}') as Json
    if (text !== undefined && !hasExactNumbers(text)) return { arguments: text }
    return isJsonObject(value) ? value : { value }
  } catch {
    return { arguments: text ?? '' }
  }
}

/** The text of a message, with a placeholder for a picture or a sound. */
function contentText({ content, refusal }: z.output<typeof message>): string {
  if (typeof content === 'string') return content
  if (!content) return refusal ?? ''
  return content.map((one) => one.text ?? one.refusal ?? `[${one.type ?? 'attachment'}]`).join('\n')
}

interface ToolCall {
  readonly id?: string | undefined
  readonly function: CalledFunction
}

export interface CalledFunction {
  readonly name: string
  readonly arguments?: string | undefined
}

export interface ChatMessage {
  readonly role: string
  readonly name?: string | undefined
  readonly tool_call_id?: string | undefined
  readonly tool_calls?: readonly ToolCall[] | null | undefined
  /** The older form of a call; a message with the role `function` answers it. */
  readonly function_call?: CalledFunction | null | undefined
}

export interface PairedCall<Message> {
  readonly called: CalledFunction
  answer: Message | undefined
}

interface Paired<Message> {
  /** The calls of `message`, in order. */
  callsOf(message: Message): readonly PairedCall<Message>[]
  /** Answers that belong to no call. */
  readonly strays: readonly Message[]
}

interface Call<Message> extends PairedCall<Message> {
  readonly id: string | undefined
  readonly isLegacy: boolean
}

export const isAnswer = ({ role }: ChatMessage): boolean => role === 'tool' || role === 'function'

/**
 * An answer with an id belongs to the last call with that id. An answer without an id belongs to the first
 * unanswered call without an id in the message directly before the answers, and has the same name if it has one. A
 * second answer to a call is a stray.
 */
export function pairCalls<Message extends ChatMessage>(messages: readonly Message[]): Paired<Message> {
  const calls = new Map<Message, Call<Message>[]>()
  const byId = new Map<string, Call<Message>>()
  const strays: Message[] = []
  let last: readonly Call<Message>[] = []
  for (const message of messages) {
    if (isAnswer(message)) {
      const call = callOf(message, last, byId)
      if (call) call.answer = message
      else strays.push(message)
      continue
    }
    const made = callsIn(message)
    last = made
    calls.set(message, made)
    for (const call of made) if (call.id !== undefined) byId.set(call.id, call)
  }
  return { callsOf: (message) => calls.get(message) ?? [], strays }
}

function callsIn<Message extends ChatMessage>({ tool_calls, function_call }: Message): Call<Message>[] {
  const current = (tool_calls ?? []).map(({ id, function: called }) => ({ id, called, isLegacy: false }))
  const older = function_call ? [{ id: undefined, called: function_call, isLegacy: true }] : []
  return [...current, ...older].map((call) => ({ ...call, answer: undefined }))
}

function callOf<Message extends ChatMessage>(
  { role, name, tool_call_id: id }: Message,
  last: readonly Call<Message>[],
  byId: ReadonlyMap<string, Call<Message>>,
): Call<Message> | undefined {
  if (id !== undefined) {
    const call = byId.get(id)
    return call?.answer === undefined ? call : undefined
  }
  return last.find(
    (call) =>
      call.id === undefined &&
      call.answer === undefined &&
      call.isLegacy === (role === 'function') &&
      (name === undefined || name === call.called.name),
  )
}
