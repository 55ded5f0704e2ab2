// Reads the file of MCP's reference memory server (JSON lines of entities and relations). Each becomes a fact whose
// id is made from its name, so that the tools of the set `graph` find it.
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { entityId, entitySchema, relationId, relationSchema } from '../../core/text/name-id.ts'
import type { Draft, Drafts, SourceFile } from './draft.ts'
import { invalidFile, parseJsonLines, parseShape } from './parse-file.ts'

const nameText = z.string().min(1).max(1000)
const lineSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('entity'),
    name: nameText,
    entityType: nameText,
    observations: z.array(z.string().max(100_000)).max(10_000),
  }),
  z.looseObject({ type: z.literal('relation'), from: nameText, to: nameText, relationType: nameText }),
])

export function isServerMemory(firstLine: unknown): boolean {
  if (!isJsonObject(firstLine)) return false
  return firstLine['type'] === 'entity'
    ? 'observations' in firstLine
    : firstLine['type'] === 'relation' && 'to' in firstLine
}

export function parseServerMemory({ name: file, text }: SourceFile): Drafts {
  const drafts = new Map<string, Draft>()
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
    const { entityType, observations } = entry
    const id = entityId(entry.name)
    if (drafts.has(id))
      throw invalidFile(file, `${place}.name`, `The entity \`${entry.name}\` is there twice`)
    drafts.set(id, factDraft(id, entitySchema, { name: entry.name, entityType, observations }, place))
  }
  return { records: [...drafts.values()] }
}

function factDraft(id: string, schema: string, data: JsonObject, place: string): Draft {
  const body = { schema, data, source: 'server-memory', verified: false }
  return { kind: 'fact', id, body, scope: {}, place }
}
