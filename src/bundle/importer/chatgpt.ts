// Reads ChatGPT's export (`conversations.json`): a list of conversations, each a tree of messages. The branch that
// was shown last comes first; messages of other branches have `branch: 'other'`. Texts become messages; each tool
// call with its answer becomes a trace.
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import { createLeftOut, type Draft, type Drafts, messageDrafts, type SourceFile, toolDraft } from './draft.ts'
import { readFileJson, readShape } from './file-fault.ts'

/** Seconds since 1970, with a fraction. */
const instant = z.number().min(0).max(100_000_000_000).nullish()
const message = z.looseObject({
  id: z.string().min(1).max(100),
  author: z.looseObject({ role: z.string(), name: z.string().max(1000).nullish() }),
  create_time: instant,
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
  create_time: instant,
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), node),
})
type Message = z.output<typeof message>
type Conversation = z.output<typeof conversation>

/** Content types that a person neither wrote nor read: instructions, and the model's thoughts. */
const hiddenTypes = new Set([
  'user_editable_context',
  'model_editable_context',
  'thoughts',
  'reasoning_recap',
])

export function looksLikeChatGpt(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isJsonObject(first) && isJsonObject(first['mapping'])
}

export function parseChatGpt({ name, text, hash, recordedMs }: SourceFile): Drafts {
  const whole = readFileJson(name, text)
  const list = Array.isArray(whole) ? whole : [whole]
  const read = list.map((one, i) => readShape(name, Array.isArray(whole) ? String(i) : '', conversation, one))
  const skipped = createLeftOut()
  const records = read.flatMap((one, i) => {
    const id = (one.conversation_id ?? one.id ?? `${hash}-${i + 1}`).replaceAll(/[^\w.:-]/g, '_')
    return draftsOf(one, `chatgpt:${id}`, recordedMs, skipped.add)
  })
  const [session] = new Set(records.map(({ scope }) => scope.session))
  return {
    records,
    leftOut: skipped.counts,
    ...(read.length === 1 && session !== undefined ? { session } : {}),
  }
}

function draftsOf(
  one: Conversation,
  session: string,
  recordedMs: number,
  leaveOut: (what: string) => void,
): Draft[] {
  const startMs = one.create_time == null ? recordedMs : Math.round(one.create_time * 1000)
  return branchesOf(one).flatMap(({ messages, goal }, i) => {
    const title: JsonObject = {
      ...(one.title ? { title: one.title.slice(0, 1000) } : {}),
      ...(i === 0 ? {} : { branch: 'other' }),
    }
    return draftsOfBranch({ messages, goal, title, startMs, session }, leaveOut)
  })
}

interface Branch {
  readonly messages: readonly Message[]
  /** The last text of the user before the branch. */
  readonly goal: string
}

interface BranchOptions extends Branch {
  readonly title: JsonObject
  readonly startMs: number
  readonly session: string
}

function draftsOfBranch(branch: BranchOptions, leaveOut: (what: string) => void): Draft[] {
  const { title, session } = branch
  const records: Draft[] = []
  let { goal, startMs: ms } = branch
  let pending: { readonly message: Message; readonly at: string } | undefined
  let previous: string | undefined
  const call = (answer: string | undefined) => {
    if (!pending) return
    const { recipient, content } = pending.message
    const id = idOf(pending.message)
    const trace = {
      id,
      tool: recipient ?? 'tool',
      input: { input: textOf(content) },
      goal,
      at: pending.at,
      previous,
      channel: 'chatgpt',
      context: title,
      answer:
        answer === undefined
          ? undefined
          : {
              text: answer,
              failed: false,
            },
    }
    records.push(toolDraft(trace, session))
    previous = id
    pending = undefined
  }
  for (const one of branch.messages) {
    if (one.create_time != null) ms = Math.round(one.create_time * 1000)
    const at = formatTime(ms)
    const { role, name } = one.author
    const text = textOf(one.content)
    const hidden = hiddenTypes.has(one.content.content_type) ? one.content.content_type : undefined
    if (hidden !== undefined || role === 'system') {
      leaveOut(hidden ?? role)
      continue
    }
    if (role === 'tool') {
      if (!pending) leaveOut('tool')
      call(text)
      continue
    }
    if (one.metadata?.is_visually_hidden_from_conversation) {
      leaveOut('hidden')
      continue
    }
    if (role === 'user') {
      // A tool answer after this message does not answer the pending call.
      call(undefined)
      goal = text
    }
    // A message to a named recipient is a tool call.
    if (role === 'assistant' && one.recipient && one.recipient !== 'all') {
      call(undefined)
      pending = { message: one, at }
      continue
    }
    const draft = { id: idOf(one), text, role, at, metadata: title }
    records.push(...messageDrafts(name ? { ...draft, name } : draft, session))
  }
  call(undefined)
  return records
}

const idOf = ({ id }: Message) => `chatgpt-${id.replaceAll(/[^\w.:-]/g, '_')}`

/**
 * The branch that was shown last, from the root; then each other branch, without the messages before it. A cycle
 * ends where it began.
 */
function branchesOf({ mapping, current_node }: Conversation): Branch[] {
  const parents = new Set(Object.values(mapping).flatMap(({ parent }) => parent ?? []))
  const shown = current_node ?? Object.keys(mapping).at(-1)
  const others = Object.keys(mapping)
  const leaves = [...others.filter((id) => !parents.has(id)), ...others]
  const seen = new Set<string>()
  return [...(shown === undefined ? [] : [shown]), ...leaves].flatMap((leaf) => {
    const branch: Message[] = []
    let at: string | undefined = leaf
    while (at !== undefined && !seen.has(at)) {
      seen.add(at)
      const here: z.output<typeof node> | undefined = mapping[at]
      if (here?.message) branch.push(here.message)
      at = here?.parent ?? undefined
    }
    return branch.length > 0 ? [{ messages: branch.toReversed(), goal: goalAt(mapping, at) }] : []
  })
}

/** The last text of the user, at this node or before; empty without one. */
function goalAt(mapping: Conversation['mapping'], from: string | undefined): string {
  const seen = new Set<string>()
  for (let at = from; at !== undefined && !seen.has(at); at = mapping[at]?.parent ?? undefined) {
    seen.add(at)
    const message = mapping[at]?.message
    if (message?.author.role === 'user') return textOf(message.content)
  }
  return ''
}

function textOf({ parts, text }: Message['content']): string {
  const texts = (parts ?? []).map((part) => {
    if (typeof part === 'string' || part === null) return part ?? ''
    const own = part['text']
    return typeof own === 'string' ? own : '[attachment]'
  })
  return text ?? texts.join('\n')
}
