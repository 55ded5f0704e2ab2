// Reads CPersona's export (JSON lines, `cpersona-export/1.x`): memories become messages; episodes and profiles keep
// their kind; lines of other types are counted. A file with fewer lines than its header states is refused, unless
// `allowIncomplete`.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { fold } from '../../core/text/fold.ts'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { profileId, hashId } from '../../core/text/name-id.ts'
import { canonicalTime, formatTime } from '../../core/time.ts'
import { sourceInput } from '../../shape/source.ts'
import {
  createOmittedCounter,
  type Draft,
  type Drafts,
  storedMessageDrafts,
  type SourceFile,
} from './draft.ts'
import { assertComplete, invalidFile, parseJsonLines, parseShape } from './parse-file.ts'
import { parseStorable } from './storable.ts'

const agentId = z.string().max(1000).default('')
const optionalText = z.string().nullish()
/** An object, or its JSON text, which some versions write. */
const embeddedJson = z.union([z.string(), z.record(z.string(), z.unknown())]).nullish()

const header = z.looseObject({
  version: z.string().startsWith('cpersona-export/1.', 'is not a known version'),
  exported_at: optionalText,
  memory_count: z.number().optional(),
  episode_count: z.number().optional(),
  profile_count: z.number().optional(),
  /** True: the file has a line of type `profile`. */
  has_profile: z.boolean().optional(),
})
const memory = z.looseObject({
  agent_id: agentId,
  project_id: z.string().max(1000).nullish(),
  channel: optionalText,
  msg_id: z.string().max(1000).nullish(),
  content: z.string(),
  source: embeddedJson,
  metadata: embeddedJson,
  timestamp: optionalText,
  created_at: optionalText,
})
const episode = z.looseObject({
  agent_id: agentId,
  project_id: z.string().max(1000).nullish(),
  summary: z.string().min(1).max(16_000),
  keywords: z.union([z.string(), z.array(z.string())]).nullish(),
  start_time: optionalText,
  end_time: optionalText,
})
const profile = z.looseObject({
  agent_id: agentId,
  user_id: z.string().max(1000).nullish(),
  content: z.string().max(2000),
  updated_at: optionalText,
})

const lineTypes: ReadonlySet<unknown> = new Set(['memory', 'episode', 'profile'])

interface Line {
  readonly path: string
  readonly value: JsonObject
}

export function isCPersonaHeader(first: unknown): boolean {
  return (
    isJsonObject(first) && first['_type'] === 'header' && String(first['version']).startsWith('cpersona-')
  )
}

export function parseCPersona(file: SourceFile): Drafts {
  // `recordedMs`: when the file was written, in milliseconds since 1970 UTC.
  const { name, text: fileText, recordedMs } = file
  const lines = parseJsonLines(name, fileText).map(({ line, value }) => {
    if (!isJsonObject(value)) throw invalidFile(name, `line ${line}`, 'This line is not an object')
    return { path: `line ${line}`, value }
  })
  const [first] = lines
  if (!first || !isCPersonaHeader(first.value)) throw invalidFile(name, 'line 1', 'The header is missing')
  const fileHeader = parseShape(name, first.path, header, first.value)
  const linesOfType = (type: string) => lines.filter(({ value }) => value['_type'] === type)
  const counts = {
    memory: fileHeader.memory_count,
    episode: fileHeader.episode_count,
    profile: fileHeader.profile_count,
  }
  for (const [type, stated] of Object.entries(counts))
    if (stated !== undefined)
      assertComplete(file, `line 1.${type}_count`, { stated, found: linesOfType(type).length })
  // The profile is the last line, so a file that was cut off has lost it first.
  if (fileHeader.has_profile === true && linesOfType('profile').length === 0)
    assertComplete(file, 'line 1.has_profile', { stated: 1, found: 0 })
  // For memories and profiles without a time.
  const fallback = canonicalTimeOf(fileHeader.exported_at) ?? formatTime(recordedMs)
  const omitted = createOmittedCounter()
  for (const { value } of lines.slice(1)) {
    const type = value['_type']
    if (!lineTypes.has(type)) omitted.add(typeof type === 'string' ? type.slice(0, 100) : 'other')
  }
  return {
    omitted: omitted.counts,
    records: [
      ...linesOfType('memory').flatMap((line) => memoryDrafts(name, line, fallback)),
      ...linesOfType('episode').map((line) => episodeDraft(name, line)),
      ...linesOfType('profile').flatMap((line) => profileDraft(name, line, fallback)),
    ],
  }
}

function memoryDrafts(name: string, { path, value }: Line, fallback: string): Draft[] {
  const entry = parseShape(name, path, memory, value)
  const source = parseShape(name, `${path}.source`, sourceInput, parseEmbedded(entry.source) ?? {})
  const metadata = parseEmbedded(entry.metadata)
  return storedMessageDrafts({
    msgId: entry.msg_id ?? '',
    agent: entry.agent_id,
    resource: entry.project_id ?? '',
    place: path,
    text: entry.content,
    source: source as JsonObject,
    at: canonicalTimeOf(entry.timestamp) ?? canonicalTimeOf(entry.created_at) ?? fallback,
    metadata: {
      ...(isJsonObject(metadata) ? metadata : {}),
      ...(entry.channel ? { channel: entry.channel } : {}),
    },
  })
}

function episodeDraft(name: string, { path, value }: Line): Draft {
  const entry = parseShape(name, path, episode, value)
  const { agent_id: agent, project_id: resource, summary, keywords, ...span } = entry
  const start_time = canonicalTimeOf(span.start_time)
  const end_time = canonicalTimeOf(span.end_time)
  // Separated by commas, semicolons or lines; without any of these, by spaces.
  const keywordList =
    typeof keywords === 'string' ? keywords.split(/[,、;\n]/.test(keywords) ? /[,、;\n]/ : /\s+/) : keywords
  return {
    kind: 'episode',
    id: hashId('episode', 'cpersona', agent, summary, start_time ?? '', end_time ?? ''),
    body: {
      summary,
      keywords: [...new Set((keywordList ?? []).map((word) => word.trim().slice(0, 200)))]
        .filter(Boolean)
        .slice(0, 50),
      ...defined({ start_time, end_time }),
    },
    scope: { ...(agent === '' ? {} : { agent }), ...(resource ? { resource } : {}) },
    place: path,
  }
}

/** A line such as `name: Ada`. */
const statement = /^([\p{L}][\p{L}\p{N} _-]{0,40}):\s+(.+)$/u
/** Longest value of a profile's fact; a longer line becomes several facts. */
const maxFactLength = 300

/**
 * The profile; none if it is blank. Each line becomes a fact. The line `name: Ada` has the attribute `name`;
 * a line without one has `note`.
 */
function profileDraft(name: string, { path, value }: Line, fallback: string): Draft[] {
  const { agent_id: agent, user_id: user, content, updated_at } = parseShape(name, path, profile, value)
  if (content.trim() === '') return []
  const since = canonicalTimeOf(updated_at) ?? fallback
  const facts: Record<string, JsonObject> = {}
  for (const line of content.split('\n')) {
    const lineText = line.replace(/^\s*(?:[-*•#]+\s*)?/, '').trim()
    if (lineText === '') continue
    const [, label = 'note', value = lineText] = statement.exec(lineText) ?? []
    const attribute = label.trim().toLowerCase()
    for (let from = 0; from < value.length; from += maxFactLength) {
      const valuePart = value.slice(from, from + maxFactLength).toWellFormed()
      // The key is `factKey` of memory/conversation/profile/profile-fact.ts.
      facts[`${attribute}: ${fold(valuePart)}`] = {
        attribute,
        value: valuePart,
        since,
        stated_at: since,
        messages: [],
      }
    }
  }
  const body = { user_id: user ?? '', content, facts }
  const scope = agent === '' ? {} : { agent }
  return [{ kind: 'profile', id: profileId(agent, user ?? ''), body, scope, place: path }]
}

/** Parses a time, also of SQLite (`2026-01-31 10:00:00`, UTC). Undefined for other text. */
function canonicalTimeOf(time: string | null | undefined): string | undefined {
  return time ? canonicalTime(time.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d)/, '$1T$2')) : undefined
}

/** Parses an object that may be JSON text. Returns other text unchanged; undefined for an empty one. */
function parseEmbedded(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined
  if (!/^\s*[{"]/.test(value)) return value === '' ? undefined : value
  try {
    return parseStorable(value)
  } catch {
    return value
  }
}
