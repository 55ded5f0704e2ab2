// Reads sessions of Claude Code (JSON lines): what was said becomes messages, each tool call with its result a trace.
// Lines of other types (snapshots, summaries, modes), pictures and thoughts are left out, and counted.
import { z } from 'zod'
import type { JsonObject } from '../../core/json/path.ts'
import { canonicalTime } from '../../core/time.ts'
import { createLeftOut, type Draft, type Drafts, messageDrafts, type SourceFile, toolDraft } from './draft.ts'
import { fileFault, readLines, readShape } from './file-fault.ts'

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() })
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
  content: z.union([z.string(), z.array(textPart)]).nullish(),
  is_error: z.boolean().nullish(),
})
const said = z.looseObject({
  type: z.enum(['user', 'assistant']),
  uuid: z.string().min(1).max(100),
  sessionId: z.string().min(1).max(200).optional(),
  timestamp: z.string(),
  cwd: z.string().optional(),
  isMeta: z.boolean().optional(),
  message: z.looseObject({ role: z.string().optional(), content: z.union([z.string(), z.array(block)]) }),
})
type Block = z.output<typeof block>

/** Blocks that records are made of. */
const taken = new Set(['text', 'tool_use', 'tool_result'])

export function looksLikeClaudeCode(first: unknown): boolean {
  return (
    typeof first === 'object' &&
    first !== null &&
    'type' in first &&
    ['sessionId', 'uuid', 'messageId', 'leafUuid', 'snapshot'].some((field) => field in first)
  )
}

export function parseClaudeCode({ name, text }: SourceFile): Drafts {
  const left = createLeftOut()
  const lines = readLines(name, text).flatMap(({ line, value }) => {
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
    if (type === 'user' || type === 'assistant')
      return [{ line, entry: readShape(name, `line ${line}`, said, value) }]
    left.add(typeof type === 'string' ? type.slice(0, 100) : 'other')
    return []
  })
  const answers = new Map<string, { text: string; failed: boolean }>()
  for (const { entry } of lines) {
    for (const part of blocksOf(entry.message.content)) {
      if (part.type !== 'tool_result') continue
      if (part.tool_use_id === undefined) {
        left.add(part.type)
        continue
      }
      answers.set(part.tool_use_id, { text: contentText(part.content), failed: part.is_error === true })
    }
  }
  const own = lines.find(({ entry }) => entry.sessionId !== undefined)?.entry.sessionId
  const session = `claude-code:${own ?? name.replace(/\.jsonl$/i, '').slice(0, 200)}`.toWellFormed()
  const records: Draft[] = []
  const seen = new Set<string>()
  const calls = new Set<string | undefined>()
  let goal = ''
  let previous: string | undefined
  for (const { line, entry } of lines) {
    const at = canonicalTime(entry.timestamp)
    if (at === undefined) throw fileFault(name, `line ${line}.timestamp`, 'This is not an ISO 8601 time')
    // A resumed session repeats lines; each is one thing that happened.
    if (seen.has(entry.uuid)) continue
    seen.add(entry.uuid)
    const id = `cc-${entry.uuid.replaceAll(/[^\w.:-]/g, '_')}`
    const context: JsonObject = { file: name, ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }) }
    blocksOf(entry.message.content).forEach((part, i) => {
      if (!taken.has(part.type) || (part.type === 'text' && entry.isMeta === true))
        left.add(taken.has(part.type) ? 'meta' : part.type.slice(0, 100))
      if (part.type === 'text' && part.text && entry.isMeta !== true) {
        if (entry.type === 'user') goal = part.text
        const message = { id: `${id}-${i}`, text: part.text, role: entry.type, at, metadata: context }
        records.push(...messageDrafts(message, session))
      }
      if (part.type !== 'tool_use') return
      if (part.name === undefined) return left.add(part.type)
      calls.add(part.id)
      const call = {
        id: `${id}-${i}`,
        tool: part.name,
        input: (part.input ?? {}) as JsonObject,
        goal,
        at,
        context,
        previous,
        channel: 'claude-code',
        answer: answers.get(part.id ?? ''),
      }
      records.push(toolDraft(call, session))
      previous = call.id
    })
  }
  for (const id of answers.keys()) if (!calls.has(id)) left.add('tool_result')
  return { session, records, leftOut: left.counts }
}

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function contentText(content: Block['content']): string {
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? `[${part.type}]`).join('\n')
}
