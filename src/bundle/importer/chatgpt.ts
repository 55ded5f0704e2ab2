// Reads ChatGPT's export (`conversations.json`): a list of conversations, each a tree of messages. The branch that
// was shown last comes first; messages of other branches have `branch: 'other'`. Texts become messages; each tool
// call with its answer becomes a trace.
import { idPrefixes } from '../../core/text/name-id.ts'
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import {
  createOmittedCounter,
  type Draft,
  type Drafts,
  messageDrafts,
  type SourceFile,
  toolCallDraft,
} from './draft.ts'
import { parseFileJson, parseShape } from './parse-file.ts'

/** Seconds since 1970, with a fraction. */
const unixSeconds = z.number().min(0).max(100_000_000_000).nullish()
const message = z.looseObject({
  id: z.string().min(1).max(100),
  author: z.looseObject({ role: z.string(), name: z.string().max(1000).nullish() }),
  create_time: unixSeconds,
  recipient: z.string().max(1000).nullish(),
  content: z.looseObject({
    content_type: z.string(),
    parts: z.array(z.union([z.string(), z.looseObject({}), z.null()])).nullish(),
    text: z.string().nullish(),
  }),
  metadata: z.looseObject({ is_visually_hidden_from_conversation: z.boolean().nullish() }).nullish(),
})
const node = z.looseObject({ message: message.nullish(), parent: z.string().nullish() })
const conversation = z.looseObject({
  id: z.string().max(100).nullish(),
  conversation_id: z.string().max(100).nullish(),
  title: z.string().nullish(),
  create_time: unixSeconds,
  /** The last message of the branch that was shown last. */
  current_node: z.string().nullish(),
  /** By the id of the node; `parent` is such an id too. */
  mapping: z.record(z.string(), node),
})
type Message = z.output<typeof message>
type Conversation = z.output<typeof conversation>

/** Content types that are not part of the conversation: custom instructions, memory, and the model's thoughts. */
const hiddenTypes = new Set([
  'user_editable_context',
  'model_editable_context',
  'thoughts',
  'reasoning_recap',
])

const hiddenTypeOf = ({ content: { content_type: type } }: Message) =>
  hiddenTypes.has(type) ? type : undefined

const isHidden = ({ metadata }: Message) => metadata?.is_visually_hidden_from_conversation === true

export function looksLikeChatGpt(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isJsonObject(first) && isJsonObject(first['mapping'])
}

/** `hash`: of the file's text. `recordedMs`: when the file was written, in milliseconds since 1970 UTC. */
export function parseChatGpt({ name, text, hash, recordedMs }: SourceFile): Drafts {
  const json = parseFileJson(name, text)
  const list = Array.isArray(json) ? json : [json]
  const conversations = list.map((value, i) =>
    parseShape(name, Array.isArray(json) ? String(i) : '', conversation, value),
  )
  const omitted = createOmittedCounter()
  const records = conversations.flatMap((parsed, i) => {
    const id = (parsed.conversation_id ?? parsed.id ?? `${hash}-${i + 1}`).replaceAll(/[^\w.:-]/g, '_')
    return conversationDrafts(parsed, `chatgpt:${id}`, recordedMs, omitted.add)
  })
  const session = records[0]?.scope.session
  return {
    records,
    omitted: omitted.counts,
    ...(conversations.length === 1 && session !== undefined ? { session } : {}),
  }
}

function conversationDrafts(
  parsed: Conversation,
  session: string,
  recordedMs: number,
  countOmitted: (type: string) => void,
): Draft[] {
  const startMs = parsed.create_time == null ? recordedMs : Math.round(parsed.create_time * 1000)
  return branchesOf(parsed).flatMap(({ messages, goal }, i) => {
    const details: JsonObject = {
      ...(parsed.title ? { title: parsed.title.slice(0, 1000) } : {}),
      ...(i === 0 ? {} : { branch: 'other' }),
    }
    return branchDrafts({ messages, goal, details, startMs, session }, countOmitted)
  })
}

interface Branch {
  readonly messages: readonly Message[]
  /** The last text of the user above the branch; empty without one. */
  readonly goal: string
}

interface BranchInput extends Branch {
  /** The title of the conversation, and `branch: 'other'` unless the branch was shown last. */
  readonly details: JsonObject
  /** The time of the messages before the first one that has a time. */
  readonly startMs: number
  readonly session: string
}

function branchDrafts(branch: BranchInput, countOmitted: (type: string) => void): Draft[] {
  const { details, session } = branch
  const records: Draft[] = []
  let { goal, startMs: timeMs } = branch
  let pending: { readonly message: Message; readonly at: string } | undefined
  /** The id of the branch's trace before the pending call. */
  let previous: string | undefined
  /** Adds the trace of the pending call, if there is one. `answer` undefined: none came. */
  const finishCall = (answer: string | undefined) => {
    if (!pending) return
    const { recipient, content } = pending.message
    const id = draftId(pending.message)
    const trace = {
      id,
      place: `message ${pending.message.id}`,
      tool: recipient ?? 'tool',
      input: { input: textOf(content) },
      goal,
      at: pending.at,
      previous,
      channel: 'chatgpt',
      context: details,
      answer:
        answer === undefined
          ? undefined
          : // The export doesn't say whether a call failed.
            { text: answer, failed: false },
    }
    records.push(toolCallDraft(trace, session))
    previous = id
    pending = undefined
  }
  for (const current of branch.messages) {
    if (current.create_time != null) timeMs = Math.round(current.create_time * 1000)
    const at = formatTime(timeMs)
    const { role, name } = current.author
    const text = textOf(current.content)
    const hiddenType = hiddenTypeOf(current)
    if (hiddenType !== undefined || role === 'system') {
      countOmitted(hiddenType ?? role)
      continue
    }
    if (role === 'tool') {
      if (!pending) countOmitted('tool')
      finishCall(text)
      continue
    }
    // A message to a named recipient is a tool call.
    const isCall = role === 'assistant' && current.recipient && current.recipient !== 'all'
    if (isHidden(current)) {
      // The next tool answer belongs to the hidden call, not to the pending one.
      if (isCall) finishCall(undefined)
      countOmitted('hidden')
      continue
    }
    if (role === 'user') {
      // A tool answer after this message does not answer the pending call.
      finishCall(undefined)
      goal = text || goal
    }
    if (isCall) {
      finishCall(undefined)
      pending = { message: current, at }
      continue
    }
    const place = `message ${current.id}`
    const draft = { id: draftId(current), text, role, at, metadata: details, place }
    // A text that is too long for a message becomes several records.
    records.push(...messageDrafts(name ? { ...draft, name } : draft, session))
  }
  finishCall(undefined)
  return records
}

const draftId = ({ id }: Message) => idPrefixes.chatgpt + id.replaceAll(/[^\w.:-]/g, '_')

/**
 * The branch that was shown last, from the root; then each other branch, without the messages that it shares with
 * earlier ones. A branch stops at a node that was already read, so a cycle stops too.
 */
function branchesOf({ mapping, current_node }: Conversation): Branch[] {
  const parents = new Set(Object.values(mapping).flatMap(({ parent }) => parent ?? []))
  const shownLeaf = current_node ?? Object.keys(mapping).at(-1)
  const nodeIds = Object.keys(mapping)
  // Then all nodes, because a cycle has no leaf.
  const leaves = [...nodeIds.filter((id) => !parents.has(id)), ...nodeIds]
  const seen = new Set<string>()
  return [...(shownLeaf === undefined ? [] : [shownLeaf]), ...leaves].flatMap((leaf) => {
    const branch: Message[] = []
    let nodeId: string | undefined = leaf
    while (nodeId !== undefined && !seen.has(nodeId)) {
      seen.add(nodeId)
      const current: z.output<typeof node> | undefined = mapping[nodeId]
      if (current?.message) branch.push(current.message)
      nodeId = current?.parent ?? undefined
    }
    return branch.length > 0 ? [{ messages: branch.toReversed(), goal: lastUserText(mapping, nodeId) }] : []
  })
}

/** The last text of the user, at node `from` or above; empty without one. */
function lastUserText(mapping: Conversation['mapping'], from: string | undefined): string {
  const seen = new Set<string>()
  for (
    let nodeId = from;
    nodeId !== undefined && !seen.has(nodeId);
    nodeId = mapping[nodeId]?.parent ?? undefined
  ) {
    seen.add(nodeId)
    const message = mapping[nodeId]?.message
    if (message?.author.role !== 'user' || hiddenTypeOf(message) !== undefined || isHidden(message)) continue
    const text = textOf(message.content)
    if (text !== '') return text
  }
  return ''
}

function textOf({ parts, text }: Message['content']): string {
  const texts = (parts ?? []).map((part) => {
    if (typeof part === 'string' || part === null) return part ?? ''
    const partText = part['text']
    return typeof partText === 'string' ? partText : '[attachment]'
  })
  return text ?? texts.join('\n')
}
