// Reads memories exported from mem0: `{ results: [...] }`, `{ memories: [...] }` or the list itself. Each becomes a
// perception, because it is a statement about a user in plain language.
import { idPrefixes } from '../../core/text/name-id.ts'
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { defined } from '../../core/defined.ts'
import { canonicalTime, formatTime } from '../../core/time.ts'
import {
  createOmittedCounter,
  type Draft,
  type Drafts,
  type OmittedCounts,
  type SourceFile,
} from './draft.ts'
import { assertComplete, invalidFile, parseFileJson, parseShape } from './parse-file.ts'

/** An id of the user, agent, app or run that the memory belongs to. */
const owner = z.string().max(1000).nullish()
const memory = z.looseObject({
  id: z.string().min(1).max(100),
  memory: z.string().min(1).max(200_000),
  user_id: owner,
  agent_id: owner,
  app_id: owner,
  run_id: owner,
  categories: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  expiration_date: z.string().nullish(),
})
const memories = z.array(memory).max(200_000)

/**
 * The list of memories and its path in the file, empty for the file itself. `list` undefined: the file has no
 * list.
 */
function findList(value: unknown): { readonly path: string; readonly list: unknown } {
  if (Array.isArray(value)) return { path: '', list: value }
  for (const path of ['results', 'memories']) {
    if (isJsonObject(value) && Array.isArray(value[path])) return { path, list: value[path] }
  }
  return { path: '', list: undefined }
}

/** The times of a memory; undefined if the file has none. */
function draftTimes({ created_at, updated_at }: MemoryTimes): Draft['times'] {
  const created = created_at ?? updated_at
  const createdAt = created == null ? undefined : canonicalTime(created)
  const updatedAt = updated_at == null ? createdAt : canonicalTime(updated_at)
  return createdAt === undefined || updatedAt === undefined
    ? undefined
    : { created_at: createdAt, updated_at: updatedAt }
}

/** The last instant of the memory's last day, which mem0 counts in UTC. As there, a wrong date is no end. */
function expiryOf({ expiration_date: date }: { expiration_date?: string | null | undefined }) {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(date ?? '') ? Date.parse(`${date}T00:00:00Z`) : NaN
  return Number.isNaN(midnight) ? undefined : formatTime(midnight + 86_399_999)
}

/** Fields of a file that only describe its page. */
const pageFields: ReadonlySet<string> = new Set(['count', 'total', 'next', 'previous'])

/** Counts the entries of the file's other lists, such as `relations`. `path`: the list of memories. */
function omittedParts(json: unknown, path: string): OmittedCounts {
  const omitted = createOmittedCounter()
  if (path === '' || !isJsonObject(json)) return omitted.counts
  for (const [field, value] of Object.entries(json)) {
    if (field === path || pageFields.has(field)) continue
    for (const _ of Array.isArray(value) ? value : [value]) omitted.add(field.slice(0, 100))
  }
  return omitted.counts
}

interface MemoryTimes {
  readonly created_at: string | null | undefined
  readonly updated_at: string | null | undefined
}

export function isMem0(value: unknown): boolean {
  const { list } = findList(value)
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isJsonObject(first) && typeof first['memory'] === 'string'
}

export function parseMem0(file: SourceFile): Drafts {
  const { name, text } = file
  const json = parseFileJson(name, text)
  const { path, list } = findList(json)
  // The file may be one page of several, with the count of all pages: a higher count means missing records.
  const stated = isJsonObject(json) ? (json['count'] ?? json['total']) : undefined
  const found = Array.isArray(list) ? list.length : 0
  if (typeof stated === 'number' && stated > found) assertComplete(file, 'count', { stated, found })
  // Without a list, `null` makes `parseShape` throw `invalid-file`.
  const records = parseShape(name, path, memories, list ?? null).map((item, i) => {
    const { id, memory: content, user_id: user, agent_id: agent, run_id: run, ...more } = item
    const times = { created_at: item.created_at, updated_at: item.updated_at }
    const place = [path, i].filter((step) => step !== '').join('.')
    for (const [field, time] of Object.entries(times)) {
      if (time != null && canonicalTime(time) === undefined)
        throw invalidFile(name, `${place}.${field}`, 'This is not an ISO 8601 time')
    }
    return {
      kind: 'perception',
      id: idPrefixes.mem0 + id.replaceAll(/[^\w.:-]/g, '_'),
      body: {
        type: 'memory',
        ...(user ? { subject: user } : {}),
        content,
        confidence: 1,
        evidence: [],
        ...defined({ valid_until: expiryOf(item) }),
        imported: {
          ...more,
          from: 'mem0',
          categories: item.categories ?? [],
          metadata: item.metadata ?? {},
        },
      } as unknown as JsonObject,
      times: draftTimes(times),
      scope: {
        ...(agent ? { agent } : {}),
        ...(run ? { session: run } : {}),
        ...(user ? { resource: user } : {}),
      },
      place,
    }
  })
  return { records, omitted: omittedParts(json, path) }
}
