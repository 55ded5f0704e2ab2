// Reads CPersona's export (JSON lines, `cpersona-export/1.x`): memories become messages; episodes and profiles keep
// their kind; lines of other types are counted. A file with fewer lines than its header states is refused, unless
// `allowIncomplete`.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { fold } from '../../core/text/fold.ts'
import { nameHash } from '../../core/text/text-key.ts'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { profileId } from '../../core/text/name-id.ts'
import { canonicalTime, formatTime } from '../../core/time.ts'
import { sourceInput } from '../../shape/source.ts'
import { createLeftOut, type Draft, type Drafts, storedMessageDrafts, type SourceFile } from './draft.ts'
import { checkWhole, fileFault, readLines, readShape } from './file-fault.ts'

const agentId = z.string().max(1000).default('')
const text = z.string().nullish()
/** An object, or its JSON text, which some versions write. */
const embedded = z.union([z.string(), z.record(z.string(), z.unknown())]).nullish()

const header = z.looseObject({
  version: z.string().startsWith('cpersona-export/1.', 'is not a known version'),
  exported_at: text,
  memory_count: z.number().optional(),
  episode_count: z.number().optional(),
  profile_count: z.number().optional(),
  has_profile: z.boolean().optional(),
})
const memory = z.looseObject({
  agent_id: agentId,
  project_id: z.string().max(1000).nullish(),
  channel: text,
  msg_id: z.string().max(1000).nullish(),
  content: z.string(),
  source: embedded,
  metadata: embedded,
  timestamp: text,
  created_at: text,
})
const episode = z.looseObject({
  agent_id: agentId,
  project_id: z.string().max(1000).nullish(),
  summary: z.string().min(1).max(16_000),
  keywords: z.union([z.string(), z.array(z.string())]).nullish(),
  start_time: text,
  end_time: text,
})
const profile = z.looseObject({
  agent_id: agentId,
  user_id: z.string().max(1000).nullish(),
  content: z.string().max(2000),
  updated_at: text,
})

const lineTypes: ReadonlySet<unknown> = new Set(['memory', 'episode', 'profile'])

interface Line {
  readonly place: string
  readonly value: JsonObject
}

export function looksLikeCPersona(first: unknown): boolean {
  return (
    isJsonObject(first) && first['_type'] === 'header' && String(first['version']).startsWith('cpersona-')
  )
}

export function parseCPersona(file: SourceFile): Drafts {
  const { name, text: whole, recordedMs } = file
  const lines = readLines(name, whole).map(({ line, value }) => {
    if (!isJsonObject(value)) throw fileFault(name, `line ${line}`, 'This line is not an object')
    return { place: `line ${line}`, value }
  })
  const [first] = lines
  if (!first || !looksLikeCPersona(first.value)) throw fileFault(name, 'line 1', 'The header is missing')
  const head = readShape(name, first.place, header, first.value)
  const of = (type: string) => lines.filter(({ value }) => value['_type'] === type)
  const counts = { memory: head.memory_count, episode: head.episode_count, profile: head.profile_count }
  for (const [type, stated] of Object.entries(counts))
    if (stated !== undefined) checkWhole(file, `line 1.${type}_count`, { stated, found: of(type).length })
  // The profile is the last line, so a file that was cut off has lost it first.
  if (head.has_profile === true && of('profile').length === 0)
    checkWhole(file, 'line 1.has_profile', { stated: 1, found: 0 })
  const fallback = timeOf(head.exported_at) ?? formatTime(recordedMs)
  const skipped = createLeftOut()
  for (const { value } of lines.slice(1)) {
    const type = value['_type']
    if (!lineTypes.has(type)) skipped.add(typeof type === 'string' ? type.slice(0, 100) : 'other')
  }
  return {
    leftOut: skipped.counts,
    records: [
      ...of('memory').flatMap((line) => memoryDrafts(name, line, fallback)),
      ...of('episode').map((line) => episodeDraft(name, line)),
      ...of('profile').flatMap((line) => profileDraft(name, line, fallback)),
    ],
  }
}

function memoryDrafts(name: string, { place, value }: Line, fallback: string): Draft[] {
  const one = readShape(name, place, memory, value)
  const source = readShape(name, `${place}.source`, sourceInput, parseEmbedded(one.source) ?? {})
  const metadata = parseEmbedded(one.metadata)
  return storedMessageDrafts({
    msgId: one.msg_id ?? '',
    agent: one.agent_id,
    resource: one.project_id ?? '',
    text: one.content,
    source: source as JsonObject,
    at: timeOf(one.timestamp) ?? timeOf(one.created_at) ?? fallback,
    metadata: {
      ...(isJsonObject(metadata) ? metadata : {}),
      ...(one.channel ? { channel: one.channel } : {}),
    },
  })
}

function episodeDraft(name: string, { place, value }: Line): Draft {
  const one = readShape(name, place, episode, value)
  const { agent_id: agent, project_id: resource, summary, keywords, ...span } = one
  const start_time = timeOf(span.start_time)
  const end_time = timeOf(span.end_time)
  const words =
    typeof keywords === 'string' ? keywords.split(/[,、;\n]/.test(keywords) ? /[,、;\n]/ : /\s+/) : keywords
  return {
    kind: 'episode',
    id: `episode-${nameHash('cpersona', agent, summary, start_time ?? '', end_time ?? '')}`,
    body: {
      summary,
      keywords: [...new Set((words ?? []).map((word) => word.trim().slice(0, 200)))]
        .filter(Boolean)
        .slice(0, 50),
      ...defined({ start_time, end_time }),
    },
    scope: { ...(agent === '' ? {} : { agent }), ...(resource ? { resource } : {}) },
  }
}

const statement = /^([\p{L}][\p{L}\p{N} _-]{0,40}):\s+(.+)$/u
const factLimit = 300

/** Each line becomes a fact. The line `name: Ada` has the attribute `name`; a line without one has `note`. */
function profileDraft(name: string, { place, value }: Line, fallback: string): Draft[] {
  const { agent_id: agent, user_id: user, content, updated_at } = readShape(name, place, profile, value)
  if (content.trim() === '') return []
  const since = timeOf(updated_at) ?? fallback
  const facts: Record<string, JsonObject> = {}
  for (const line of content.split('\n')) {
    const bare = line.replace(/^\s*(?:[-*•#]+\s*)?/, '').trim()
    if (bare === '') continue
    const [, about = 'note', value = bare] = statement.exec(bare) ?? []
    const attribute = about.trim().toLowerCase()
    for (let from = 0; from < value.length; from += factLimit) {
      const part = value.slice(from, from + factLimit).toWellFormed()
      facts[`${attribute}: ${fold(part)}`] = { attribute, value: part, since, stated_at: since, messages: [] }
    }
  }
  const body = { user_id: user ?? '', content, facts }
  return [{ kind: 'profile', id: profileId(agent, user ?? ''), body, scope: agent === '' ? {} : { agent } }]
}

/** Parses a time, also of SQLite (`2026-01-31 10:00:00`, UTC). Undefined for other text. */
function timeOf(time: string | null | undefined): string | undefined {
  return time ? canonicalTime(time.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d)/, '$1T$2')) : undefined
}

function parseEmbedded(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined
  if (!/^\s*[{"]/.test(value)) return value === '' ? undefined : value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}
