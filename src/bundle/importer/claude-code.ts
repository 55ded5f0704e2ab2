// Reads sessions of Claude Code (JSON lines): texts become messages; each tool call with its result becomes a
// trace. Lines of other types (snapshots, summaries, modes), pictures and thoughts are left out and counted.
import { idPrefixes } from '../../core/text/name-id.ts'
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { canonicalTime } from '../../core/time.ts'
import {
  createOmittedCounter,
  type Draft,
  type Drafts,
  messageDrafts,
  type SourceFile,
  toolCallDraft,
} from './draft.ts'
import { invalidFile, parseJsonLines, parseShape } from './parse-file.ts'
import { toJsonText } from './storable.ts'

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() })
/** Types of blocks that are read: texts and calls become records, a result goes into the trace of its call. */
const importedTypes = new Set(['text', 'tool_use', 'tool_result'])
/** Of a block of another type only the type is checked: it is only counted. */
const block = z.preprocess(
  (value) => {
    const type = isJsonObject(value) ? value['type'] : undefined
    return typeof type === 'string' && !importedTypes.has(type) ? { type } : value
  },
  z.looseObject({
    type: z.string(),
    text: z.string().optional(),
    id: z.string().optional(),
    name: z.string().optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    tool_use_id: z.string().optional(),
    content: z.union([z.string(), z.array(textPart)]).nullish(),
    is_error: z.boolean().nullish(),
  }),
)
/** The limits leave room in the id of a record and in the name of a session. */
const entrySchema = z.looseObject({
  type: z.enum(['user', 'assistant']),
  uuid: z.string().min(1).max(100),
  sessionId: z.string().min(1).max(200).optional(),
  timestamp: z.string(),
  cwd: z.string().optional(),
  /** True: Claude Code itself inserted the texts. */
  isMeta: z.boolean().optional(),
  /** True: a summary that Claude Code wrote in place of earlier lines. */
  isCompactSummary: z.boolean().optional(),
  message: z.looseObject({ role: z.string().optional(), content: z.union([z.string(), z.array(block)]) }),
})
type Block = z.output<typeof block>

interface SessionState {
  /** The last text of the user. */
  goal: string
  /** The id of the last trace. */
  previous: string | undefined
}

/** True if the line looks like one of such a session. */
export function isClaudeCode(firstLine: unknown): boolean {
  return (
    typeof firstLine === 'object' &&
    firstLine !== null &&
    'type' in firstLine &&
    ['sessionId', 'uuid', 'messageId', 'leafUuid', 'snapshot'].some((field) => field in firstLine)
  )
}

export function parseClaudeCode({ name, text }: SourceFile): Drafts {
  const omitted = createOmittedCounter()
  const contentById = new Map<string, string>()
  const lines = parseJsonLines(name, text).flatMap(({ line, value }) => {
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
    if (type === 'user' || type === 'assistant') {
      const entry = parseShape(name, `line ${line}`, entrySchema, value)
      // A resumed session repeats lines.
      const content = toJsonText(entry.message)
      const earlier = contentById.get(entry.uuid)
      if (earlier === undefined) contentById.set(entry.uuid, content)
      else if (earlier !== content) omitted.add('repeated_id')
      if (earlier !== undefined) return []
      if (entry.isCompactSummary !== true) return [{ line, entry }]
      omitted.add('summary')
      return []
    }
    omitted.add(typeof type === 'string' ? type.slice(0, 100) : 'other')
    return []
  })
  const firstId = lines.find(({ entry }) => entry.sessionId !== undefined)?.entry.sessionId
  const fileId = firstId ?? name.replace(/\.jsonl$/i, '').slice(0, 200)
  const sessions = new Map<string, SessionState>()
  const records: Draft[] = []
  const { answers, strays } = pairResults(lines.flatMap(({ entry }) => blocksOf(entry.message.content)))
  for (const { type } of strays) omitted.add(type)
  for (const { line, entry } of lines) {
    const at = canonicalTime(entry.timestamp)
    if (at === undefined) throw invalidFile(name, `line ${line}.timestamp`, 'This is not an ISO 8601 time')
    const id = idPrefixes['claude-code'] + entry.uuid.replaceAll(/[^\w.:-]/g, '_')
    const session = `claude-code:${entry.sessionId ?? fileId}`.toWellFormed()
    const state = sessions.get(session) ?? { goal: '', previous: undefined }
    sessions.set(session, state)
    const place = `line ${line}`
    const context: JsonObject = { file: name, ...defined({ cwd: entry.cwd }) }
    blocksOf(entry.message.content).forEach((item, i) => {
      if (!importedTypes.has(item.type) || (item.type === 'text' && entry.isMeta === true))
        omitted.add(importedTypes.has(item.type) ? 'meta' : item.type.slice(0, 100))
      if (item.type === 'text' && item.text?.trim() && entry.isMeta !== true) {
        if (entry.type === 'user') state.goal = item.text
        const message = { id: `${id}-${i}`, text: item.text, role: entry.type, at, metadata: context, place }
        records.push(...messageDrafts(message, session))
      }
      if (item.type !== 'tool_use') return
      if (item.name === undefined) return omitted.add(item.type)
      const answer = answers.get(item)
      const call = {
        id: `${id}-${i}`,
        tool: item.name,
        input: (item.input ?? {}) as JsonObject,
        at,
        context,
        place,
        ...state,
        channel: 'claude-code',
        answer: answer && { text: contentText(answer.content), failed: answer.is_error === true },
      }
      records.push(toolCallDraft(call, session))
      state.previous = call.id
    })
  }
  const [session, ...others] = sessions.keys()
  return { ...(others.length > 0 ? {} : defined({ session })), records, omitted: omitted.counts }
}

/**
 * Pairs each result with the latest call of its id before it. A result without such a call, and a second
 * result of a call, is a stray. `answers`: the result by the object of its call, as `blocksOf` returns the
 * same objects again.
 */
function pairResults(blocks: readonly Block[]) {
  const openCalls = new Map<string, Block>()
  const answers = new Map<Block, Block>()
  const strays: Block[] = []
  for (const block of blocks) {
    // A call without a name makes no record, nor does its result.
    if (block.type === 'tool_use' && block.id !== undefined && block.name !== undefined)
      openCalls.set(block.id, block)
    if (block.type !== 'tool_result') continue
    const call = openCalls.get(block.tool_use_id ?? '')
    if (!call) {
      strays.push(block)
      continue
    }
    answers.set(call, block)
    openCalls.delete(block.tool_use_id ?? '')
  }
  return { answers, strays }
}

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function contentText(content: Block['content']): string {
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? `[${part.type}]`).join('\n')
}
