// The kinds of the simulated books: one for each policy, those in which an older and a newer Daybook differ, and of the kinds
// that ship those that sync knows more of than a policy.
import { z } from 'zod'
import { createKinds, type Kind, type Kinds } from '../../../src/core/kind.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { Bodies } from '../../../src/store/record/bodies.ts'
import { testKinds } from '../../contract/mirror/mirror-world.ts'
import { factKind } from '../../../src/memory/kstar/fact-kind.ts'
import { skillKind } from '../../../src/memory/kstar/skill-kind.ts'
import { markKind } from '../../../src/memory/mark/mark-kind.ts'
import { publicKeyKind } from '../../../src/trust/seal/key-pair.ts'
import { createPersonSealer } from './sim-sealer.ts'

const kind = (name: string, version: number, more: Partial<Kind>): Kind => ({
  name,
  version,
  summary: 'For the simulation.',
  text: ['text'],
  facets: {},
  policy: 'last_write_wins',
  schema: z.looseObject({ text: z.string() }),
  ...more,
})

/** A state that no other edit undoes, whatever the policy. */
const final = kind('final', 1, { isFinal: (body) => 'final' in body && body.final === true })
const shifted = [
  kind('shifted', 1, { schema: z.looseObject({ text: z.string(), size: z.string() }) }),
  kind('shifted', 2, { schema: z.looseObject({ text: z.string(), size: z.number() }) }),
] as const

/** Kinds that ship: skills count their uses, facts supersede each other, marks go with what they mark. */
const shipped = [skillKind, factKind, markKind, publicKeyKind] as unknown as readonly Kind[]

/** An older Daybook: it reads one kind otherwise, and another it has never heard of. */
export const oldKinds: Kinds = createKinds([...testKinds.values(), final, shifted[0], ...shipped])
export const newKinds: Kinds = createKinds([
  ...testKinds.values(),
  final,
  shifted[1],
  kind('fresh', 1, {}),
  ...shipped,
])

/** Reads whatever is sealed in any world: its person has the key. */
export const openBodies = new Bodies(newKinds, createPersonSealer())

/** The kinds that `put` writes; a schedule names its records by their place here. */
const names = [...testKinds.keys(), 'final', 'shifted', 'fresh']
/** How many records the first table of steps knows: one of each kind, and two of the merging one and of the manual one. */
export const firstRecordCount = names.length + 2
/** After those come skills. */
export const skillCount = 2
/** How many successions of facts there are. */
export const familyCount = 2
export const recordCount = firstRecordCount + skillCount

export function isSkill(record: number): boolean {
  return record >= firstRecordCount
}

export function kindOf(record: number): string {
  if (isSkill(record)) return skillKind.name
  return names[record] ?? (record % 2 === 0 ? 'merge' : 'manual')
}

export function idOf(record: number): string {
  return isSkill(record) ? `skill::s${record - firstRecordCount}` : `record-${record}`
}

/** The record that `idOf` calls `id`; undefined for what has its id from elsewhere. */
export function recordOf(id: string): number | undefined {
  const found = Array.from({ length: recordCount }, (_, record) => record).find((one) => idOf(one) === id)
  return found
}

/** What a person who sees `seen` writes next. `token` is said once in a schedule, by this write. */
export function nextBody(kind: Kind, token: string, seen: JsonObject | undefined): JsonObject {
  switch (kind.name) {
    case 'merge':
      return { text: token, tags: [...((seen?.['tags'] as string[] | undefined) ?? []), token] }
    case 'final':
      return seen?.['final'] === true || token.endsWith('7') ? { text: token, final: true } : { text: token }
    case 'shifted':
      return { text: token, size: kind.version === 1 ? 'small' : 1 }
    case 'skill':
      return { ...(seen ?? newSkill), description: token }
    default:
      return { text: token }
  }
}

/** A skill that nobody has used. */
export const newSkill: JsonObject = {
  name: 'dig',
  description: '',
  learned_from: {},
  definition: { procedure: 'Dig.' },
  maturity: {},
}

/** The token that a body says: the text of most, the description of a skill, the data of a fact. */
export function saidIn(kind: string, body: JsonObject): string {
  if (kind === 'skill') return String(body['description'])
  if (kind === 'fact') return String((body['data'] as JsonObject | undefined)?.['text'])
  return String(body['text'])
}

/** `body`, saying `token`. */
export function saying(kind: string, body: JsonObject | undefined, token: string): JsonObject {
  if (kind === 'skill') return { ...body, description: token }
  if (kind === 'fact') return { ...body, data: { text: token } }
  return { ...body, text: token }
}
