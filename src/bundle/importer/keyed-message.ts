// Reads messages of the older key-value layout: key `mem:{agent}:{timestamp}:{hash}`, value a message as JSON. The
// file is one object, or rows `{ key, value }` in a list or as lines. Other keys are left out and counted.
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { canonicalTime, formatTime } from '../../core/time.ts'
import { sourceInput } from '../../shape/source.ts'
import {
  createOmittedCounter,
  type Draft,
  type Drafts,
  storedMessageDrafts,
  type SourceFile,
} from './draft.ts'
import { invalidFile, parseFileJson, parseJsonLines, parseShape } from './parse-file.ts'

const keyPrefix = 'mem:'
/** Groups: agent, time, hash. The agent and the time may contain colons. */
const keyPattern = /^mem:(.+):(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?|\d{10,17}):([^:]*)$/s

const keyedMessage = z.looseObject({
  id: z.string().max(1000).nullish(),
  content: z.string(),
  source: sourceInput.nullish(),
  target_agent: z.string().max(1000).nullish(),
  timestamp: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})

interface Row {
  /** Its place in the file, for errors. */
  readonly path: string
  readonly key: string
  readonly value: unknown
}

export function isKeyedMessages(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!isJsonObject(first)) return false
  const { key } = first
  if (typeof key === 'string' && 'value' in first) return key.startsWith(keyPrefix)
  return !Array.isArray(value) && Object.keys(first).some((name) => name.startsWith(keyPrefix))
}

export function parseKeyedMessages({ name, text }: SourceFile): Drafts {
  const omitted = createOmittedCounter()
  const records = readRows(name, text).flatMap((row) => {
    if (row.key.startsWith(keyPrefix)) return rowDrafts(name, row)
    omitted.add('other')
    return []
  })
  return { records, omitted: omitted.counts }
}

function readRows(name: string, text: string): Row[] {
  // In JSON lines, the first line is complete JSON. A single line that is no row is an object of keys.
  const isLines =
    // The first line; without a line end, the whole text.
    text.trimStart().startsWith('{') && isJson(text.slice(0, text.indexOf('\n') + 1 || undefined))
  if (isLines) {
    const lines = parseJsonLines(name, text)
    if (lines.length !== 1 || isRow(lines[0]?.value))
      return lines.map(({ line, value }) => toRow(name, `line ${line}`, value))
  }
  const json = parseFileJson(name, text)
  if (Array.isArray(json)) return json.map((value, i) => toRow(name, String(i), value))
  if (isRow(json)) return [toRow(name, '', json)]
  return Object.entries(isJsonObject(json) ? json : {}).map(([key, value]) => ({ path: key, key, value }))
}

const isRow = (value: unknown) => isJsonObject(value) && typeof value['key'] === 'string' && 'value' in value

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function toRow(name: string, path: string, row: unknown): Row {
  const { key, value } = parseShape(name, path, z.looseObject({ key: z.string(), value: z.unknown() }), row)
  return { path, key, value }
}

function rowDrafts(name: string, { path, key, value }: Row): Draft[] {
  const [, agent = '', keyTime = ''] = keyPattern.exec(key) ?? []
  if (agent === '' || agent.length > 1000 || !agent.isWellFormed())
    throw invalidFile(name, path, 'This key is not `mem:{agent}:{timestamp}:{hash}`')
  const message = parseShape(
    name,
    path,
    keyedMessage,
    typeof value === 'string' ? parseFileJson(`${name}, ${path}`, value) : value,
  )
  const time = message.timestamp || keyTime
  const at = /^\d+$/.test(time) ? formatTime(millisecondsOf(time)) : canonicalTime(time)
  if (at === undefined) throw invalidFile(name, path, `\`${time.slice(0, 60)}\` is not a time`)
  return storedMessageDrafts({
    msgId: message.id ?? '',
    agent,
    resource: '',
    place: path,
    text: message.content,
    at,
    source: (message.source ?? {}) as JsonObject,
    metadata: {
      ...((message.metadata ?? {}) as JsonObject),
      ...(message.target_agent ? { target_agent: message.target_agent } : {}),
    },
  })
}

/**
 * Milliseconds since 1970. The number of digits tells seconds, milliseconds, microseconds and nanoseconds apart.
 */
function millisecondsOf(digits: string): number {
  const time = Number(digits)
  if (digits.length <= 11) return time * 1000
  if (digits.length <= 14) return time
  return Math.floor(time * (digits.length <= 16 ? 1 / 1000 : 1 / 1_000_000))
}
