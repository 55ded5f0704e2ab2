// The import verbs. They detect a file's format from its name and content, and store all its records in one
// transaction. A second import of a file finds the records of the first. `transfer`: the port of hashes, and
// in a write of the secrets that were found.
import { z } from 'zod'
import { beginningOf } from '../core/zone.ts'
import { defineCapability } from '../core/capability/capability.ts'
import { defined } from '../core/defined.ts'
import { isJsonObject } from '../core/json/path.ts'
import { parseTime } from '../core/time.ts'
import { secretCount } from '../shape/field.ts'
import { maxFileLength } from './format/detect-bundle.ts'
import { looksLikeChatGpt, parseChatGpt } from './importer/chatgpt.ts'
import { isClaudeCode, parseClaudeCode } from './importer/claude-code.ts'
import { isCPersonaHeader, parseCPersona } from './importer/cpersona.ts'
import type { Drafts, SourceFile } from './importer/draft.ts'
import { invalidFile, withoutByteOrderMark } from './importer/parse-file.ts'
import { isKeyedMessages, parseKeyedMessages } from './importer/keyed-message.ts'
import { importTrajectory } from './importer/swe-agent.ts'
import { storeDrafts } from './importer/store-drafts.ts'
import { parseMarkdown } from './importer/markdown-note.ts'
import { isMem0, parseMem0 } from './importer/mem0.ts'
import { isOpenAiChat, parseOpenAiChat } from './importer/openai-chat.ts'
import { isServerMemory, parseServerMemory } from './importer/server-memory.ts'

const trajectoryResult = z.object({
  /** New records. */
  imported: z.number(),
  /** Records of an earlier import of the same file, which the book has or has forgotten. */
  skipped: z.number(),
  session: z.string(),
  ids: z.array(z.string()),
  /** Secrets found in new records, and how the book treated them. */
  secrets: z.array(secretCount),
})

export const importCapabilities = [
  defineCapability({
    id: 'import:swe_agent',
    forAgents: true,
    methods: ['imports.sweAgent'],
    summary: 'Imports a SWE-agent trajectory: one trace per step, linked in order, in one session.',
    input: z.strictObject({
      /** The name of the file, for messages and as part of the session. */
      name: z.string().min(1).max(500).default('trajectory.traj'),
      /** The whole text of the file. */
      text: z.string().max(maxFileLength),
      /** When the run ended, because trajectories have no times. Default: now. */
      recordedAt: z
        .string()
        .refine((value) => parseTime(value) !== undefined, 'is not an ISO 8601 time')
        .optional(),
    }),
    output: trajectoryResult,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'transfer'],
    run: importTrajectory,
  }),
] as const

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

/** Most ids in the result of `import:file`. */
const maxIds = 1000

export const fileCapabilities = [
  defineCapability({
    id: 'import:file',
    forAgents: true,
    methods: ['imports.file'],
    summary:
      'Imports a file of another program (trajectory, chat, session, memories, notes), completely or not at all.',
    input: z.strictObject({
      /** The name of the file, for messages and sessions. */
      name: z.string().min(1).max(500).default('file'),
      text: z.string().max(maxFileLength),
      /** Default: detected from the name and content. */
      format: z.enum(fileFormats).optional(),
      /** Imports and undoes it: reports the same result, or the same refusal, without a change. */
      dryRun: z.boolean().default(false),
      /** Accepts a file with fewer records than it states. Default: false. */
      allowIncomplete: z.boolean().default(false),
      /** When the file was written, for formats without times. Default: now. */
      recordedAt: z
        .string()
        .refine((value) => parseTime(value) !== undefined, 'is not an ISO 8601 time')
        .optional(),
    }),
    output: z.object({
      format: z.enum(fileFormats),
      dryRun: z.boolean(),
      imported: z.number(),
      /** Records of an earlier import that the book has or has forgotten. */
      skipped: z.number(),
      /** Content that no record contains, counted by type, such as `thinking` or `repeated_id`. Absent: none. */
      omitted: z.record(z.string(), z.number()).optional(),
      session: z.string().optional(),
      /** The ids of the first thousand records, in order. */
      ids: z.array(z.string()),
      /** Secrets found in new records, and how the book treated them. */
      secrets: z.array(secretCount),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records', 'transfer'],
    async run({ name, text: fileText, format: givenFormat, recordedAt, dryRun, allowIncomplete }, at) {
      const text = withoutByteOrderMark(fileText)
      if (text.trim() === '') throw invalidFile(name, '', 'The file is empty')
      const format = givenFormat ?? detectFormat(name, text)
      if (format === 'swe-agent')
        return { format, dryRun, ...(await importTrajectory({ name, text, recordedAt, dryRun }, at)) }
      const hash = (await at.transfer.digest.sha256(text)).slice(0, 16)
      const drafts = parseFile(format, {
        name,
        text,
        hash,
        allowIncomplete,
        recordedMs: parseTime(beginningOf(recordedAt ?? at.call.now, at.call.zone)) ?? 0,
      })
      const { omitted, session, ids, ...counts } = await storeDrafts(drafts, { name, dryRun }, at)
      return {
        format,
        dryRun,
        ...counts,
        ...(omitted && omitted.size > 0 ? { omitted: Object.fromEntries(omitted) } : {}),
        ...defined({ session }),
        ids: ids.slice(0, maxIds),
      }
    },
  }),
] as const

function parseFile(format: Exclude<Format, 'swe-agent'>, file: SourceFile): Drafts {
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

/** A format from the name, the JSON of the whole file, or its first line, in this order. */
function detectFormat(name: string, text: string): Format {
  if (/\.(?:md|markdown)$/i.test(name)) return 'markdown'
  const wholeJson = tryParseJson(text)
  if (/\.traj$/i.test(name) || isTrajectory(wholeJson)) return 'swe-agent'
  if (isOpenAiChat(wholeJson)) return 'openai-chat'
  if (looksLikeChatGpt(wholeJson)) return 'chatgpt'
  if (isMem0(wholeJson)) return 'mem0'
  if (isKeyedMessages(wholeJson)) return 'keyed-messages'
  const firstLineJson = tryParseJson(text.slice(0, text.indexOf('\n') + 1 || undefined))
  if (isCPersonaHeader(firstLineJson)) return 'cpersona'
  if (isServerMemory(firstLineJson ?? wholeJson)) return 'server-memory'
  if (isKeyedMessages(firstLineJson)) return 'keyed-messages'
  if (isClaudeCode(firstLineJson)) return 'claude-code'
  if (isOpenAiChat(firstLineJson)) return 'openai-chat-lines'
  throw invalidFile(
    name,
    '',
    `The format is unknown. If it is one of ${fileFormats.join(', ')}, set \`format\``,
  )
}

function isTrajectory(value: unknown): boolean {
  return isJsonObject(value) && ('trajectory' in value || 'history' in value)
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
