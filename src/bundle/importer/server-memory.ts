// Reads the file of MCP's reference memory server (JSON lines of entities and relations). Each becomes a fact whose
// id is made from its name, so that the tools of the set `graph` find it.
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { entityId, entitySchema, relationId, relationSchema } from '../../core/text/name-id.ts'
import type { Draft, Drafts, SourceFile } from './draft.ts'
import { parseJsonLines, parseShape } from './parse-file.ts'

/** The server takes empty texts too. */
const nameText = z.string().max(1000)
const lineSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('entity'),
    name: nameText,
    entityType: nameText,
    observations: z.array(z.string().max(100_000)).max(10_000),
  }),
  z.looseObject({ type: z.literal('relation'), from: nameText, to: nameText, relationType: nameText }),
])

interface Entity {
  readonly entityType: string
  readonly observations: readonly string[]
}

export function isServerMemory(firstLine: unknown): boolean {
  if (!isJsonObject(firstLine)) return false
  return firstLine['type'] === 'entity'
    ? 'observations' in firstLine
    : firstLine['type'] === 'relation' && 'to' in firstLine
}

export function parseServerMemory({ name: file, text }: SourceFile): Drafts {
  const drafts = new Map<string, Draft>()
  const entities = new Map<string, Entity>()
  for (const { line: lineNumber, value } of parseJsonLines(file, text)) {
    const place = `line ${lineNumber}`
    const entry = parseShape(file, place, lineSchema, value)
    if (entry.type === 'relation') {
      const { from, to, relationType } = entry
      const id = relationId(from, to, relationType)
      // The same relation again has the same content.
      drafts.set(id, factDraft(id, relationSchema, { from, to, relationType }, place))
      continue
    }
    const { name } = entry
    const id = entityId(name)
    // The server knows an entity that is there twice by its first line: the other observations join that one.
    const { entityType, observations: earlier = [] } = entities.get(id) ?? { entityType: entry.entityType }
    const observations = [...earlier, ...entry.observations.filter((one) => !earlier.includes(one))]
    entities.set(id, { entityType, observations })
    drafts.set(id, factDraft(id, entitySchema, { name, entityType, observations }, place))
  }
  return { records: [...drafts.values()] }
}

function factDraft(id: string, schema: string, data: JsonObject, place: string): Draft {
  const body = { schema, data, source: 'server-memory', verified: false }
  return { kind: 'fact', id, body, scope: {}, place }
}
