// Pairs the tool calls of a chat in OpenAI's shape with their answers. Pure.
// Invariant: each answer belongs to one call at most, and no other text is taken for one.

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
  /** The older form of one call, which a message with the role `function` answers. */
  readonly function_call?: CalledFunction | null | undefined
}

export interface PairedCall<Message> {
  readonly called: CalledFunction
  answer: Message | undefined
}

interface Paired<Message> {
  /** The calls that `message` makes, in order. */
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
 * An answer with an id belongs to the last call of that id before it; one without to the first call without an id in the
 * message that is directly before the answers, of the same name where it has one.
 */
export function pairCalls<Message extends ChatMessage>(said: readonly Message[]): Paired<Message> {
  const calls = new Map<Message, Call<Message>[]>()
  const byId = new Map<string, Call<Message>>()
  const strays: Message[] = []
  let last: readonly Call<Message>[] = []
  for (const message of said) {
    if (isAnswer(message)) {
      const call = askedBy(message, last, byId)
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
  const given = (tool_calls ?? []).map(({ id, function: called }) => ({ id, called, isLegacy: false }))
  const older = function_call ? [{ id: undefined, called: function_call, isLegacy: true }] : []
  return [...given, ...older].map((call) => ({ ...call, answer: undefined }))
}

function askedBy<Message extends ChatMessage>(
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
