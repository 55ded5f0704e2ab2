// Ids that are derived from names. Two devices that separately create a record for one name give it the same id.
import { nameHash, roundKey } from './text-key.ts'
import { foldName } from './fold.ts'

/** Maximum length of an id: see `isRecordId`. */
const idLimit = 128

/** Characters of a long id before `:::` and its hash of 26 hexadecimal digits: prefix and beginning of the names. */
export const namedLength = idLimit - 30

const ours = <Name extends string>(name: Name): `${Name}::` => `${name}::`

/**
 * The prefix of every id that is not a plain UUID. Ours is the kind, or another noun, and `::`.
 * Specifications of others spell the rest. Books store these ids, so never change a prefix.
 */
export const idPrefixes = {
  token: ours('token'),
  access_key: ours('access_key'),
  public_key: ours('public_key'),
  agent_key: ours('agent_key'),
  skill: ours('skill'),
  fact_schema: ours('fact_schema'),
  trace_category: ours('trace_category'),
  token_type: ours('token_type'),
  kg_entity: ours('kg_entity'),
  kg_relation: ours('kg_relation'),
  mark: ours('mark'),
  message: ours('message'),
  episode: ours('episode'),
  profile: ours('profile'),
  answer: ours('answer'),
  turn: ours('turn'),
  digest: ours('digest'),
  pattern: ours('pattern'),
  snapshot: ours('snapshot'),
  document: ours('document'),
  checkpoint: ours('checkpoint'),
  checkpoint_part: ours('checkpoint_part'),
  checkpoint_write: ours('checkpoint_write'),
  backup: ours('backup'),
  backup_part: ours('backup_part'),
  pool_proposal: ours('pool_proposal'),
  pool_ballot: ours('pool_ballot'),
  pool_decision: ours('pool_decision'),
  pool_fact: ours('pool_fact'),
  pool_claw: ours('pool_claw'),
  pool_config: ours('pool_config'),
  inbox: ours('inbox'),
  rule: ours('rule'),
  round: ours('round'),
  rebuild: ours('rebuild'),
  // By the program whose file was imported
  chatgpt: ours('chatgpt'),
  'claude-code': ours('claude-code'),
  markdown: ours('markdown'),
  mem0: ours('mem0'),
  'openai-chat': ours('openai-chat'),
  'swe-agent': ours('swe-agent'),
  // a2p
  memory: 'mem_',
  proposal: 'prop_',
  policy: 'policy_',
  receipt: 'rcpt_',
  access_request: 'req_',
  // Katra
  persona: 'mcp_',
  // KafClaw, in envelopes of a pool
  claw_proposal: 'kp-',
  claw_fact: 'kf-',
  claw_trace: 'tr-',
  // W3C
  key: 'did:key:',
} as const
type Prefixes = typeof idPrefixes
export type IdPrefix = Prefixes[keyof Prefixes]
/** Ids that a claw writes in envelopes. */
export type ClawId = Extract<keyof Prefixes, `claw_${string}`>
/** Names whose ids `nameId` makes. */
type Named = { [Name in keyof Prefixes]: Prefixes[Name] extends `${Name}::` ? Name : never }[keyof Prefixes]

/**
 * Returns the id of `names` (most general first) for a kind. Letters, digits, `.`, `_` and `-` stay; other characters
 * become `:hex:`. A long id ends in a hash of the whole id (104 bits: two rounds of 52-bit FNV-1a).
 */
export function nameId(kind: Named, ...names: readonly string[]): string {
  const id = `${idPrefixes[kind]}${spellNames(...names)}`
  if (id.length <= idLimit) return id
  return `${id.slice(0, namedLength)}:::${key(id, 0)}${key(id, 1)}`
}

/** Spells `names` as `nameId` does, of any length. */
export function spellNames(...names: readonly string[]): string {
  return names.map(escape).join('::')
}

/** Returns an id that is the hash of `words`: the same on every device. */
export function hashId(kind: keyof Prefixes, ...words: readonly string[]): string {
  return `${idPrefixes[kind]}${nameHash(...words)}`
}

const odd = /[^A-Za-z0-9._-]/u

function escape(name: string): string {
  // A malformed record may have no name: `search` throws, as `replaceAll` does.
  if (name.search(odd) < 0) return name
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
  return hashId('message', agent, msgId)
}

/** Id of a message without a `msgId`, derived from its scope, time, source and content. */
export function messageIdAt(
  { agent, session = '' }: { readonly agent: string; readonly session?: string | undefined },
  { at, source, content }: { readonly at: string; readonly source: object; readonly content: string },
): string {
  return hashId('message', agent, session, at, JSON.stringify(source), content)
}

export function profileId(agent: string, user: string): string {
  return hashId('profile', agent, user)
}

// Ids of pool records, derived from names that all claws share, so that a record has the same id in every book.

export const recordIds = {
  proposal: (proposal: string) => nameId('pool_proposal', proposal),
  ballot: (proposal: string, claw: string) => nameId('pool_ballot', proposal, foldName(claw)),
  decision: (proposal: string) => nameId('pool_decision', proposal),
  fact: (fact: string) => nameId('pool_fact', fact),
  claw: (claw: string) => nameId('pool_claw', foldName(claw)),
} as const
