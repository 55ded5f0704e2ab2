// Reads chats in the shape of OpenAI's chat completions: a list of messages, `{ messages }`, or one such object per
// line. Texts become messages; each tool call with its answer becomes a trace. Chats have no times: the last
// message gets the time of the file, each earlier one a second less. Thoughts, and answers without a call, are left
// out and counted.
// Invariant: each answer belongs to at most one call.
import { idPrefixes } from '../../core/text/name-id.ts'
import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import {
  createOmittedCounter,
  type Draft,
  type Drafts,
  messageDrafts,
  type SourceFile,
  toolCallDraft,
} from './draft.ts'
import { parseFileJson, parseJsonLines, parseShape } from './parse-file.ts'
import { parseStorable } from './storable.ts'
import { hasExactNumbers } from '../../core/json/json.ts'

const contentPart = z.looseObject({
  type: z.string().optional(),
  text: z.string().optional(),
  refusal: z.string().optional(),
})
const toolName = z.string().min(1).max(1000)
const functionCall = z.looseObject({ name: toolName, arguments: z.string().optional() })
/** A tool whose input is any text. */
const customCall = z.looseObject({ name: toolName, input: z.string().optional() })
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  refusal: z.string().nullish(),
  name: z.string().max(1000).optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z
        .looseObject({
          id: z.string().optional(),
          type: z.string().optional(),
          function: functionCall.optional(),
          custom: customCall.optional(),
        })
        .refine(
          ({ type = 'function', ...call }) =>
            call.function ?? call.custom ?? !['function', 'custom'].includes(type),
          'has neither `function` nor `custom`',
        ),
    )
    .nullish(),
  function_call: functionCall.nullish(),
})
/** Fields with the thoughts of a model. */
const reasoningFields = ['reasoning_content', 'reasoning'] as const
const messages = z.array(message).min(1).max(100_000)
const chat = z.looseObject({ messages })

export function isOpenAiChat(value: unknown): boolean {
  const list = Array.isArray(value) ? value : isJsonObject(value) ? value['messages'] : undefined
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isJsonObject(first) && typeof first['role'] === 'string'
}

export function parseOpenAiChat(file: SourceFile, isJsonLines: boolean): Drafts {
  // `hash`: of the file's text. `recordedMs`: when the file was written, in milliseconds since 1970 UTC.
  const { name, text, hash, recordedMs } = file
  const chats = isJsonLines
    ? parseJsonLines(name, text).map(({ line, value }) => ({
        path: `line ${line}.messages.`,
        messages: parseShape(name, `line ${line}`, chat, value).messages,
      }))
    : [parseChat(name, text)]
  const session = `chat:${name
    .replace(/\.jsonl?$/i, '')
    .slice(0, 200)
    .toWellFormed()}:${hash.slice(0, 8)}`
  // Ids and times count through all chats of the file.
  const total = chats.reduce((sum, { messages }) => sum + messages.length, 0)
  const records: Draft[] = []
  const omitted = createOmittedCounter()
  let messageNumber = 0
  for (const [chatIndex, { path, messages: chatMessages }] of chats.entries()) {
    const chatSession = chats.length > 1 ? `${session}:${chatIndex + 1}` : session
    const { callsOf, strayAnswers } = pairCalls(chatMessages)
    for (const { role } of strayAnswers) omitted.add(role)
    let goal = ''
    let previous: string | undefined
    for (const [i, current] of chatMessages.entries()) {
      messageNumber += 1
      const id = `${idPrefixes['openai-chat']}${hash}-${messageNumber}`
      const at = formatTime(recordedMs - (total - messageNumber) * 1000)
      if (current.role === 'user') goal = contentText(current) || goal
      const place = `${path}${i}`
      const metadata = { file: name }
      const draft = { id, text: contentText(current), role: current.role, at, metadata, place }
      for (const { type } of unknownCalls(current)) omitted.add((type ?? 'tool_call').slice(0, 100))
      for (const field of reasoningFields) if (current[field]) omitted.add(field)
      // A text that is too long for a message becomes several records.
      if (!isAnswer(current))
        records.push(
          ...messageDrafts(
            current.name === undefined ? draft : { ...draft, name: current.name },
            chatSession,
          ),
        )
      for (const [callIndex, { functionCall, answer }] of callsOf(current).entries()) {
        const trace = {
          id: `${id}-${callIndex + 1}`,
          place,
          tool: functionCall.name,
          input:
            functionCall.input === undefined
              ? parseArguments(functionCall.arguments)
              : { input: functionCall.input },
          goal,
          at,
          channel: 'chat',
          context: { file: name },
          previous,
          // The format doesn't say whether a call failed.
          answer: answer && { text: contentText(answer), failed: false },
        }
        records.push(toolCallDraft(trace, chatSession))
        previous = trace.id
      }
    }
  }
  // A file with several chats has a session for each, and none of its own.
  return { records, omitted: omitted.counts, ...(chats.length > 1 ? {} : { session }) }
}

function parseChat(name: string, text: string) {
  const value = parseFileJson(name, text)
  return Array.isArray(value)
    ? { path: '', messages: parseShape(name, '', messages, value) }
    : { path: 'messages.', messages: parseShape(name, '', chat, value).messages }
}

/**
 * Parses the arguments of a call, which a model wrote as JSON text. If the text is not valid JSON, or has a
 * number that JavaScript can't represent, `arguments` of the result is the text. A value that is not an
 * object is its `value`.
 */
function parseArguments(text: string | undefined): JsonObject {
  try {
    const value = parseStorable(text ?? '{}') as Json
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
  return content
    .map((contentPart) => contentPart.text ?? contentPart.refusal ?? `[${contentPart.type ?? 'attachment'}]`)
    .join('\n')
}

interface ToolCall {
  readonly id?: string | undefined
  readonly type?: string | undefined
  readonly function?: FunctionCall | undefined
  readonly custom?: FunctionCall | undefined
}

export interface FunctionCall {
  readonly name: string
  readonly arguments?: string | undefined
  /** The text of a custom call. */
  readonly input?: string | undefined
}

export interface ChatMessage {
  readonly role: string
  readonly name?: string | undefined
  readonly tool_call_id?: string | undefined
  readonly tool_calls?: readonly ToolCall[] | null | undefined
  /** The older form of a call; a message with the role `function` answers it. */
  readonly function_call?: FunctionCall | null | undefined
}

export interface PairedCall<Message> {
  readonly functionCall: FunctionCall
  /** Undefined: no message answers it. */
  answer: Message | undefined
}

/** The result of `pairCalls`. */
interface PairedCalls<Message> {
  /** The calls of `message`, in order. */
  callsOf(message: Message): readonly PairedCall<Message>[]
  /** Answers that belong to no call. */
  readonly strayAnswers: readonly Message[]
}

interface Call<Message> extends PairedCall<Message> {
  readonly id: string | undefined
  /** True for a `function_call`, the older form. */
  readonly isLegacy: boolean
}

export const isAnswer = ({ role }: ChatMessage): boolean => role === 'tool' || role === 'function'

/**
 * Finds the call of each answer. An answer with an id belongs to the last call with that id. An answer
 * without an id belongs to a call of the last message that is not an answer: to the first that has no id and
 * no answer yet, is of the same form, and has the answer's name (if it has one). Every other answer, such as
 * a second one to a call, is a stray.
 */
export function pairCalls<Message extends ChatMessage>(messages: readonly Message[]): PairedCalls<Message> {
  const calls = new Map<Message, Call<Message>[]>()
  const byId = new Map<string, Call<Message>>()
  const strays: Message[] = []
  let latestCalls: readonly Call<Message>[] = []
  for (const message of messages) {
    if (isAnswer(message)) {
      const call = findCall(message, latestCalls, byId)
      if (call) call.answer = message
      else strays.push(message)
      continue
    }
    const messageCalls = callsInMessage(message)
    latestCalls = messageCalls
    calls.set(message, messageCalls)
    for (const call of messageCalls) if (call.id !== undefined) byId.set(call.id, call)
  }
  return { callsOf: (message) => calls.get(message) ?? [], strayAnswers: strays }
}

/** The calls of types that no trace takes. */
const unknownCalls = ({ tool_calls }: ChatMessage) =>
  (tool_calls ?? []).filter((call) => !call.function && !call.custom)

function callsInMessage<Message extends ChatMessage>({
  tool_calls,
  function_call,
}: Message): Call<Message>[] {
  const toolCalls = (tool_calls ?? []).flatMap((call) => {
    const functionCall = call.function ?? call.custom
    return functionCall ? [{ id: call.id, functionCall, isLegacy: false }] : []
  })
  const legacyCalls = function_call ? [{ id: undefined, functionCall: function_call, isLegacy: true }] : []
  return [...toolCalls, ...legacyCalls].map((call) => ({ ...call, answer: undefined }))
}

function findCall<Message extends ChatMessage>(
  { role, name, tool_call_id: id }: Message,
  latestCalls: readonly Call<Message>[],
  byId: ReadonlyMap<string, Call<Message>>,
): Call<Message> | undefined {
  if (id !== undefined) {
    const call = byId.get(id)
    return call?.answer === undefined ? call : undefined
  }
  return latestCalls.find(
    (call) =>
      call.id === undefined &&
      call.answer === undefined &&
      call.isLegacy === (role === 'function') &&
      (name === undefined || name === call.functionCall.name),
  )
}
