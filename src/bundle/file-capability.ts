// One entrance for what other programs saved: the format is told by its content, the whole file becomes records in one
// transaction, and a file that comes again finds its records there.
import { z } from 'zod'
import { beginningOf } from '../core/calendar/day.ts'
import { checkAborted } from '../core/abort.ts'
import { defineCapability } from '../core/capability/capability.ts'
import { isJsonObject } from '../core/json/path.ts'
import { parseTime } from '../core/time.ts'
import { secretCount } from '../shape/secret-count.ts'
import { fileLimit } from './format/bundle-beginning.ts'
import { looksLikeChatGpt, parseChatGpt } from './importer/chatgpt.ts'
import { looksLikeClaudeCode, parseClaudeCode } from './importer/claude-code.ts'
import { looksLikeCPersona, parseCPersona } from './importer/cpersona.ts'
import { distinctDrafts, type Drafts, type SourceFile } from './importer/draft.ts'
import { fileFault } from './importer/file-fault.ts'
import { looksLikeKeyedMessages, parseKeyedMessages } from './importer/keyed-message.ts'
import { parseMarkdown } from './importer/markdown-note.ts'
import { importTrajectory } from './import-capability.ts'
import { looksLikeMem0, parseMem0 } from './importer/mem0.ts'
import { looksLikeChat, parseOpenAiChat } from './importer/openai-chat.ts'
import { looksLikeServerMemory, parseServerMemory } from './importer/server-memory.ts'

export const fileFormats = [
  'swe-agent',
  'claude-code',
  'openai-chat',
  'openai-chat-lines',
  'chatgpt',
  'mem0',
  'cpersona',
  'keyed-messages',
  'server-memory',
  'markdown',
] as const
type Format = (typeof fileFormats)[number]

/** Ids that are named in the answer. */
const idLimit = 1000

export const fileCapabilities = [
  defineCapability({
    id: 'import:file',
    forAgents: true,
    methods: ['imports.file'],
    summary:
      'Imports what another program saved (trajectories, chats, sessions, exports of memories, notes), whole or not at all.',
    input: z.strictObject({
      /** The name of the file, for messages and sessions. */
      name: z.string().min(1).max(500).default('file'),
      text: z.string().max(fileLimit),
      /** Default: what the content looks like. */
      format: z.enum(fileFormats).optional(),
      /** Says what would happen, and changes nothing. */
      dry_run: z.boolean().default(false),
      /** Takes what is there of a file that holds less than it says it does. Default false: it is refused. */
      allow_incomplete: z.boolean().default(false),
      /** When the file was written, for formats without times. Default now. */
      recorded_at: z
        .string()
        .refine((value) => parseTime(value) !== undefined, 'is not an ISO 8601 time')
        .optional(),
    }),
    output: z.object({
      format: z.enum(fileFormats),
      dry_run: z.boolean(),
      imported: z.number(),
      /** Here already, or forgotten here, from an earlier import. */
      skipped: z.number(),
      /** Counts by type of the content that no record holds: `thinking`, `repeated_id`. Absent: none. */
      left_out: z.record(z.string(), z.number()).optional(),
      session: z.string().optional(),
      /** The first thousand, in order. */
      ids: z.array(z.string()),
      /** Secrets of known form in what is new, and what the book did with them. */
      secrets: z.array(secretCount),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'transfer'],
    async run({ name, text, format: asked, recorded_at, dry_run, allow_incomplete: allowIncomplete }, at) {
      if (text.trim() === '') throw fileFault(name, '', 'The file is empty: there is nothing to import')
      const format = asked ?? formatOf(name, text)
      if (format === 'swe-agent')
        return { format, dry_run, ...(await importTrajectory({ name, text, recorded_at, dry_run }, at)) }
      const hash = (await at.transfer.digest.sha256(text)).slice(0, 16)
      const drafts = parse(format, {
        name,
        text,
        hash,
        allowIncomplete,
        recordedMs: parseTime(beginningOf(recorded_at ?? at.call.now, at.call.zone)) ?? 0,
      })
      const { records, session, leftOut } = distinctDrafts(drafts)
      if (records.length === 0) throw fileFault(name, '', 'There is nothing in it to remember')
      checkAborted(at.call.signal)
      const total = records.length
      at.call.progress({ done: 0, total, what: name })
      const { fresh: imported, secrets } = await at.records.write((write) => {
        let fresh = 0
        for (const { kind, id, body, scope, times } of records) {
          if (write.records.get(id) || write.records.wasForgotten(id)) continue
          fresh += 1
          if (!dry_run) write.records.put({ kind, id, body, scope, ...(times ? { times } : {}) })
        }
        return { fresh, secrets: write.records.secrets() }
      })
      at.call.progress({ done: total, total, what: name })
      const ids = records.slice(0, idLimit).map(({ id }) => id)
      return {
        format,
        dry_run,
        imported,
        skipped: total - imported,
        ...(leftOut && leftOut.size > 0 ? { left_out: Object.fromEntries(leftOut) } : {}),
        ...(session === undefined ? {} : { session }),
        ids,
        secrets,
      }
    },
  }),
] as const

function parse(format: Exclude<Format, 'swe-agent'>, file: SourceFile): Drafts {
  switch (format) {
    case 'claude-code':
      return parseClaudeCode(file)
    case 'openai-chat':
    case 'openai-chat-lines':
      return parseOpenAiChat(file, format === 'openai-chat-lines')
    case 'chatgpt':
      return parseChatGpt(file)
    case 'mem0':
      return parseMem0(file)
    case 'cpersona':
      return parseCPersona(file)
    case 'keyed-messages':
      return parseKeyedMessages(file)
    case 'server-memory':
      return parseServerMemory(file)
    case 'markdown':
      return parseMarkdown(file)
  }
}

function formatOf(name: string, text: string): Format {
  if (/\.(?:md|markdown)$/i.test(name)) return 'markdown'
  const whole = tryJson(text)
  if (/\.traj$/i.test(name) || looksLikeTrajectory(whole)) return 'swe-agent'
  if (looksLikeChat(whole)) return 'openai-chat'
  if (looksLikeChatGpt(whole)) return 'chatgpt'
  if (looksLikeMem0(whole)) return 'mem0'
  if (looksLikeKeyedMessages(whole)) return 'keyed-messages'
  const first = tryJson(text.slice(0, text.indexOf('\n') + 1 || undefined))
  if (looksLikeCPersona(first)) return 'cpersona'
  if (looksLikeServerMemory(first ?? whole)) return 'server-memory'
  if (looksLikeKeyedMessages(first)) return 'keyed-messages'
  if (looksLikeClaudeCode(first)) return 'claude-code'
  if (looksLikeChat(first)) return 'openai-chat-lines'
  throw fileFault(
    name,
    '',
    `This format can't be imported. If it is one of ${fileFormats.join(', ')}, say so with \`format\``,
  )
}

function looksLikeTrajectory(value: unknown): boolean {
  return isJsonObject(value) && ('trajectory' in value || 'history' in value)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
