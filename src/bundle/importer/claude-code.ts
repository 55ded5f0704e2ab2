// Reads sessions of Claude Code (JSON lines): texts become messages; each tool call with its result becomes a
// trace. Lines of other types (snapshots, summaries, modes), pictures and thoughts are left out and counted.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
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
const entrySchema = z.looseObject({
  type: z.enum(['user', 'assistant']),
  uuid: z.string().min(1).max(100),
  sessionId: z.string().min(1).max(200).optional(),
  timestamp: z.string(),
  cwd: z.string().optional(),
  isMeta: z.boolean().optional(),
  message: z.looseObject({ role: z.string().optional(), content: z.union([z.string(), z.array(block)]) }),
})
type Block = z.output<typeof block>

/** Blocks that become records. */
const usedTypes = new Set(['text', 'tool_use', 'tool_result'])

export function looksLikeClaudeCode(first: unknown): boolean {
  return (
    typeof first === 'object' &&
    first !== null &&
    'type' in first &&
    ['sessionId', 'uuid', 'messageId', 'leafUuid', 'snapshot'].some((field) => field in first)
  )
}

export function parseClaudeCode({ name, text }: SourceFile): Drafts {
  const skipped = createLeftOut()
  const seen = new Set<string>()
  const lines = readLines(name, text).flatMap(({ line, value }) => {
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
    if (type === 'user' || type === 'assistant') {
      const entry = readShape(name, `line ${line}`, entrySchema, value)
      // A resumed session repeats lines.
      if (seen.has(entry.uuid)) return []
      seen.add(entry.uuid)
      return [{ line, entry }]
    }
    skipped.add(typeof type === 'string' ? type.slice(0, 100) : 'other')
    return []
  })
  const own = lines.find(({ entry }) => entry.sessionId !== undefined)?.entry.sessionId
  const session = `claude-code:${own ?? name.replace(/\.jsonl$/i, '').slice(0, 200)}`.toWellFormed()
  const records: Draft[] = []
  const { answers, strays } = pairResults(lines.flatMap(({ entry }) => blocksOf(entry.message.content)))
  for (const { type } of strays) skipped.add(type)
  let goal = ''
  let previous: string | undefined
  for (const { line, entry } of lines) {
    const at = canonicalTime(entry.timestamp)
    if (at === undefined) throw fileFault(name, `line ${line}.timestamp`, 'This is not an ISO 8601 time')
    const id = `cc-${entry.uuid.replaceAll(/[^\w.:-]/g, '_')}`
    const context: JsonObject = { file: name, ...defined({ cwd: entry.cwd }) }
    blocksOf(entry.message.content).forEach((part, i) => {
      if (!usedTypes.has(part.type) || (part.type === 'text' && entry.isMeta === true))
        skipped.add(usedTypes.has(part.type) ? 'meta' : part.type.slice(0, 100))
      if (part.type === 'text' && part.text && entry.isMeta !== true) {
        if (entry.type === 'user') goal = part.text
        const message = { id: `${id}-${i}`, text: part.text, role: entry.type, at, metadata: context }
        records.push(...messageDrafts(message, session))
      }
      if (part.type !== 'tool_use') return
      if (part.name === undefined) return skipped.add(part.type)
      const answer = answers.get(part)
      const call = {
        id: `${id}-${i}`,
        tool: part.name,
        input: (part.input ?? {}) as JsonObject,
        goal,
        at,
        context,
        previous,
        channel: 'claude-code',
        answer: answer && { text: contentText(answer.content), failed: answer.is_error === true },
      }
      records.push(toolDraft(call, session))
      previous = call.id
    })
  }
  return { session, records, leftOut: skipped.counts }
}

/**
 * Pairs each result with the last call of its id that has no result yet. A result without such a call is a stray.
 */
function pairResults(blocks: readonly Block[]) {
  const open = new Map<string, Block>()
  const answers = new Map<Block, Block>()
  const strays: Block[] = []
  for (const block of blocks) {
    // A call without a name makes no record, nor does its result.
    if (block.type === 'tool_use' && block.id !== undefined && block.name !== undefined)
      open.set(block.id, block)
    if (block.type !== 'tool_result') continue
    const call = open.get(block.tool_use_id ?? '')
    if (!call) {
      strays.push(block)
      continue
    }
    answers.set(call, block)
    open.delete(block.tool_use_id ?? '')
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
