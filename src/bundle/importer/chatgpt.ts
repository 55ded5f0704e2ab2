// Reads ChatGPT's export (`conversations.json`): a list of conversations, each a tree of messages: the branch that was
// shown last, then the others, whose messages say so (`branch: 'other'`). What was said becomes messages, each tool call with the answer to it a trace.
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import { createLeftOut, type Draft, type Drafts, messageDrafts, type SourceFile, toolDraft } from './draft.ts'
import { readJson, readShape } from './file-fault.ts'

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

/** What a person neither wrote nor read: instructions, and the model's thoughts. */
const unsaid = new Set(['user_editable_context', 'model_editable_context', 'thoughts', 'reasoning_recap'])

export function looksLikeChatGpt(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isJsonObject(first) && isJsonObject(first['mapping'])
}

export function parseChatGpt({ name, text, hash, recordedMs }: SourceFile): Drafts {
  const whole = readJson(name, text)
  const list = Array.isArray(whole) ? whole : [whole]
  const read = list.map((one, i) => readShape(name, Array.isArray(whole) ? String(i) : '', conversation, one))
  const left = createLeftOut()
  const records = read.flatMap((one, i) => {
    const id = (one.conversation_id ?? one.id ?? `${hash}-${i + 1}`).replaceAll(/[^\w.:-]/g, '_')
    return draftsOf(one, `chatgpt:${id}`, recordedMs, left.add)
  })
  const [session] = new Set(records.map(({ scope }) => scope.session))
  return { records, leftOut: left.counts, ...(read.length === 1 && session !== undefined ? { session } : {}) }
}

function draftsOf(
  one: Conversation,
  session: string,
  recordedMs: number,
  leaveOut: (what: string) => void,
): Draft[] {
  const beganMs = one.create_time == null ? recordedMs : Math.round(one.create_time * 1000)
  return branchesOf(one).flatMap(({ said, goal }, i) => {
    const title: JsonObject = {
      ...(one.title ? { title: one.title.slice(0, 1000) } : {}),
      ...(i === 0 ? {} : { branch: 'other' }),
    }
    return draftsOfBranch({ said, goal, title, beganMs, session }, leaveOut)
  })
}

interface Branch {
  readonly said: readonly Message[]
  /** What the user had said before it, where it left another branch. */
  readonly goal: string
}

interface BranchIn extends Branch {
  readonly title: JsonObject
  readonly beganMs: number
  readonly session: string
}

function draftsOfBranch(branch: BranchIn, leaveOut: (what: string) => void): Draft[] {
  const { title, session } = branch
  const records: Draft[] = []
  let { goal, beganMs: ms } = branch
  let asked: { readonly message: Message; readonly at: string } | undefined
  let previous: string | undefined
  const call = (answer: string | undefined) => {
    if (!asked) return
    const { recipient, content } = asked.message
    const id = idOf(asked.message)
    const trace = {
      id,
      tool: recipient ?? 'tool',
      input: { input: textOf(content) },
      goal,
      at: asked.at,
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
    asked = undefined
  }
  for (const said of branch.said) {
    if (said.create_time != null) ms = Math.round(said.create_time * 1000)
    const at = formatTime(ms)
    const { role, name } = said.author
    const text = textOf(said.content)
    const hidden = unsaid.has(said.content.content_type) ? said.content.content_type : undefined
    if (hidden !== undefined || role === 'system') {
      leaveOut(hidden ?? role)
      continue
    }
    if (role === 'tool') {
      if (!asked) leaveOut('tool')
      call(text)
      continue
    }
    if (said.metadata?.is_visually_hidden_from_conversation) {
      leaveOut('hidden')
      continue
    }
    if (role === 'user') {
      // A tool that answers later answers something else.
      call(undefined)
      goal = text
    }
    // Without a name it is no call of a tool.
    if (role === 'assistant' && said.recipient && said.recipient !== 'all') {
      call(undefined)
      asked = { message: said, at }
      continue
    }
    const spoken = { id: idOf(said), text, role, at, metadata: title }
    records.push(...messageDrafts(name ? { ...spoken, name } : spoken, session))
  }
  call(undefined)
  return records
}

const idOf = ({ id }: Message) => `chatgpt-${id.replaceAll(/[^\w.:-]/g, '_')}`

/**
 * The branch that was shown last, from the root on, then from each other leaf what no branch before has. A circle ends where
 * it began.
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
    return branch.length > 0 ? [{ said: branch.toReversed(), goal: goalAt(mapping, at) }] : []
  })
}

/** What the user said last, at this node or before it. */
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
  const said = (parts ?? []).map((part) => {
    if (typeof part === 'string' || part === null) return part ?? ''
    const own = part['text']
    return typeof own === 'string' ? own : '[attachment]'
  })
  return text ?? said.join('\n')
}
