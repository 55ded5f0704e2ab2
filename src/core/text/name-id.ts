// Ids that are derived from names. Two devices that separately create a record for one name give it the same id.
import { nameHash, roundKey } from './text-key.ts'
import { foldName } from './fold.ts'

const idLimit = 128

/** Maximum of characters of a long id that spell the names. */
export const namedLength = idLimit - 30

/**
 * Returns the id of `names` (most general first) with `prefix`. Letters, digits, `.`, `_` and `-` stay; other
 * characters become `:hex:`. A long id ends in a hash of the whole id (104 bits: two rounds of 52-bit FNV-1a).
 */
export function nameId(prefix: string, ...names: readonly string[]): string {
  const id = [prefix, ...names.map(escape)].join('::')
  if (id.length <= idLimit) return id
  return `${id.slice(0, namedLength)}:::${key(id, 0)}${key(id, 1)}`
}

function escape(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/gu, (char) => `:${(char.codePointAt(0) ?? 0).toString(16)}:`)
}

function key(text: string, round: number): string {
  return roundKey(text, round).toString(16).padStart(13, '0')
}

/**
 * Prefix of the keys of a document's parts. Adapters write the parts into the document's folder; its kind reads them.
 */
export const partMark = '#part '
/** Field of a document with the keys of its parts. */
export const partsField = '$parts'

/** Schemas of facts in a knowledge graph: one record for each name, and one for each relation. */
export const entitySchema = 'kg_entity'
export const relationSchema = 'kg_relation'

export const entityId = (name: string) => nameId(entitySchema, name)

export const relationId = (from: string, to: string, type: string) => nameId(relationSchema, from, to, type)

/** Id of the message that `agent` identifies by `msgId`. Storing or importing the message again gives the same id. */
export function namedMessageId(agent: string, msgId: string): string {
  return `msg-${nameHash(agent, msgId)}`
}

/** Id of a message without a `msgId`, derived from its scope, time, source and content. */
export function messageIdAt(
  { agent, session = '' }: { readonly agent: string; readonly session?: string | undefined },
  { at, source, content }: { readonly at: string; readonly source: object; readonly content: string },
): string {
  return `msg-${nameHash(agent, session, at, JSON.stringify(source), content)}`
}

export function profileId(agent: string, user: string): string {
  return `profile-${nameHash(agent, user)}`
}

// Ids of pool records, derived from names that all claws share, so that a record has the same id in every book.

export const recordIds = {
  proposal: (proposal: string) => nameId('pool_proposal', proposal),
  ballot: (proposal: string, claw: string) => nameId('pool_ballot', proposal, foldName(claw)),
  decision: (proposal: string) => nameId('pool_decision', proposal),
  fact: (fact: string) => nameId('pool_fact', fact),
  claw: (claw: string) => nameId('pool_claw', foldName(claw)),
} as const
