// The kinds of the simulated books: one for each policy, and those in which an older and a newer Daybook differ.
import { z } from 'zod'
import { createKinds, type Kind, type Kinds } from '../../../src/core/kind.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { createBodies } from '../../../src/store/record/bodies.ts'
import { testKinds } from '../../contract/mirror/mirror-world.ts'
import { createTestSealer } from '../../support/test-sealer.ts'

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

/** An older Daybook: it reads one kind otherwise, and another it has never heard of. */
export const oldKinds: Kinds = createKinds([...testKinds.values(), final, shifted[0]])
export const newKinds: Kinds = createKinds([...testKinds.values(), final, shifted[1], kind('fresh', 1, {})])

/** Reads whatever is sealed in any world: its person has the key. */
export const openBodies = createBodies(newKinds, createTestSealer([1]))

const names = [...newKinds.keys()]
export const recordCount = names.length + 2

/** Each kind has a record; the merging one and the manual one have two. */
export function kindOf(record: number): string {
  return names[record] ?? (record % 2 === 0 ? 'merge' : 'manual')
}

export function idOf(record: number): string {
  return `record-${record}`
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
    default:
      return { text: token }
  }
}
