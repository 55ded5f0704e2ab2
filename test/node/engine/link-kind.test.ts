// Every kind says where ids of other records stand in it, and no guest is shown the id of a record that it may not
// see: by any question, in any page of a bundle, on any device. The law is in src/core/record-link.ts.
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { governedBy } from '../../../src/core/access/governed.ts'
import { type Reach, readReach } from '../../../src/core/access/reach.ts'
import { isScoped, type Kind, sourceIds } from '../../../src/core/kind.ts'
import type { Json, JsonObject } from '../../../src/core/json/path.ts'
import { linkedIds, withHiddenLinks, withShownLinks } from '../../../src/core/record-link.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { SeenRecords } from '../../../src/engine/context/seen-records.ts'
import { shownQueries, shownSnapshot } from '../../../src/engine/context/shown-queries.ts'
import { recordId } from '../../../src/shape/field.ts'
import { encodeVisibleChange, createSyncReach } from '../../../src/sync/mirror/sync-reach.ts'
import { makeKind, openTestStore, type TestStore } from '../../support/test-store.ts'

/** Links that name the owner of a record, such as its persona. Add the reason for a new one here. */
const addresses: Readonly<Record<string, readonly string[]>> = {
  digest: ['persona'],
  pattern: ['persona'],
  snapshot: ['persona'],
  agent_session: ['persona'],
  turn: ['session_id'],
  // Out of reach with its record.
  mark: ['record'],
  // In nobody's reach.
  backup_part: ['backup', 'records'],
}

/** The paths of ids of records in a shape, as `links` writes them. */
function idPaths(shape: unknown, path: readonly string[] = [], depth = 0): string[] {
  if (shape === recordId) return [path.join('.')]
  if (!(shape instanceof z.ZodType) || depth > 12) return []
  const def = shape.def as unknown as Record<string, unknown>
  const below = (one: unknown, ...steps: string[]) => idPaths(one, [...path, ...steps], depth + 1)
  switch (def['type']) {
    case 'object':
      return Object.entries(def['shape'] as object).flatMap(([name, one]) => below(one, name))
    case 'array':
      // A list of ids is one place.
      return def['element'] === recordId ? [path.join('.')] : below(def['element'], '*')
    case 'record':
      return below(def['valueType'], '*')
    case 'union':
      return (def['options'] as readonly unknown[]).flatMap((one) => below(one))
    case 'pipe':
      return [...below(def['in']), ...below(def['out'])]
    default:
      return below(def['innerType'])
  }
}

/** True when `link` stands for `path`. */
function stands(link: string, path: string): boolean {
  const steps = path.split('.')
  const own = link.split('.')
  return own.length === steps.length && own.every((step, i) => step === '*' || step === steps[i])
}

/** `value` at the end of `path`, with one more object or list for each step. */
function placed(path: readonly string[], value: Json, inList: boolean): Json {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (step === '*') return inList ? [placed(rest, value, inList)] : { one: placed(rest, value, inList) }
  return { [step]: placed(rest, value, inList) }
}

/** Both at once: what the one has and the other has not. */
function joined(one: Json | undefined, other: Json): Json {
  if (one === undefined || typeof one !== 'object' || one === null || Array.isArray(one)) return other
  const body: Record<string, Json> = { ...(one as JsonObject) }
  for (const [name, value] of Object.entries(other as JsonObject)) body[name] = joined(body[name], value)
  return body
}

/** A body of a kind with these ids at each of its links, one by itself where `isOne`. */
function bodyOf({ links = [] }: Kind, ids: readonly string[], isOne: boolean, inList: boolean): JsonObject {
  return links.reduce<Json>(
    (body, path) => joined(body, placed(path.split('.'), isOne ? (ids[0] ?? '') : [...ids], inList)),
    { text: 'walnuts' },
  ) as JsonObject
}

const opened: TestStore[] = []
afterEach(() => {
  for (const store of opened.splice(0)) store.db.close()
})
const openStore = (): TestStore => {
  const store = openTestStore([...kinds.values()])
  opened.push(store)
  return store
}
const thought = { type: 'knowledge', content: 'g', importance: 1, timestamp: '2026-01-01T00:00:00.000Z' }
const linking = [...kinds.values()].filter(({ links = [] }) => links.length > 0)

describe('every kind of record', () => {
  it.each([...kinds.keys()])('%s says where ids of other records stand in it', (name) => {
    const kind = kinds.get(name) ?? expect.unreachable()
    const { links = [], cites = [], facets, text } = kind
    const known = [...links, ...(addresses[name] ?? [])]
    const why = `Give \`${name}\` \`links\` (src/core/kind.ts), or say in this file that it is its address.`
    expect(
      idPaths(kind.schema).filter((path) => !known.some((link) => stands(link, path))),
      why,
    ).toEqual([])
    if (!name.startsWith('pool_')) {
      const cited = cites.map(({ path }) => path)
      expect(known, why).toEqual(expect.arrayContaining(cited))
    }
    // A question of words or of a column asks nobody whether the id may be seen.
    expect([...Object.values(facets), ...text].filter((path) => links.includes(path))).toEqual([])
  })

  it('finds the ids in a shape', () => {
    const shape = z.looseObject({
      evidence: z.array(recordId).default([]),
      facts: z.record(z.string(), z.object({ of: recordId.optional() })),
      lines: z.array(z.object({ records: z.array(recordId).min(1) })).optional(),
    })
    expect(idPaths(shape)).toEqual(['evidence', 'facts.*.of', 'lines.*.records'])
  })
})

describe.each(linking.map(({ name }) => name))('a %s', (name) => {
  const kind = kinds.get(name) ?? expect.unreachable()
  const variants = [true, false].flatMap((isOne) => [true, false].map((inList) => [isOne, inList] as const))

  it('names what it was made from at its links alone', () => {
    for (const [isOne, inList] of variants) {
      const body = bodyOf(kind, ['a', 'b'], isOne, inList)
      expect(linkedIds(kind, body)).toEqual(expect.arrayContaining(sourceIds(kind, body, 'made')))
    }
  })

  it('is shown to a guest without the ids of what it may not see, however it asks', () => {
    // What was made from what is hidden is hidden itself, unless its kind was granted.
    const open = readReach({ scope: `${kind.scopedAs ?? name}:**`, allow: [name, 'a2p:health', 'fact:**'] })
    const governed = governedBy(
      [{ place: 0, allow: readReach({ scope: 'a2p:**' })?.allow ?? [], upTo: 'restricted' }],
      [],
    )
    const reach: Reach = { ...(open ?? expect.unreachable()), governed }
    for (const [isOne, inList] of variants) {
      const store = openStore()
      store.put(thought, { id: 'hidden-one', kind: 'thought' })
      store.put({ schema: 's', data: {} }, { id: 'seen-one', kind: 'fact' })
      const body = {
        ...bodyOf(kind, ['hidden-one', 'seen-one', 'no-such-one'], isOne, inList),
        category: 'a2p:health',
        memory_type: 'semantic',
        status: 'approved',
      }
      store.put(body, { id: 'made', kind: name })
      const caller = { role: 'guest', token: 't', agent: 'guest', reach, permissions: ['**'] } as const
      const queries = shownQueries(store.queries.within(reach), kinds)
      const seen = new SeenRecords(store, caller)
      const snapshot = shownSnapshot(queries.snapshot({ kinds: [name] }), store, () => caller)
      const include = { expired: true, superseded: true, outdated: true }
      const told = JSON.stringify([
        queries.query({ limit: 100, include }),
        queries.query({ kind: name, limit: 100, include, filters: { id: { in: ['made'] } } }),
        queries.search({ text: 'walnuts' }),
        [...queries.read([...Array(20).keys()])],
        snapshot.read(name, 0, 1000).records,
        seen.get('made'),
        seen.history('made'),
        queries.citing('hidden-one'),
        seen.shownBody(name, body),
      ])
      expect(told).not.toMatch(/hidden-one|no-such-one/)
      if (!isOne && isScoped(kind) && !kind.madeFrom) expect(told).toContain('seen-one')
      for (const path of kind.links ?? []) {
        const asked = { kind: name, include, limit: 100 }
        const hidden = [
          { eq: 'hidden-one' },
          { contains: 'hidden-one' },
          { in: ['hidden-one'] },
          { exists: true },
          { gt: '' },
        ]
        for (const test of path.includes('*') ? [] : hidden)
          expect([path, test, queries.query({ ...asked, filters: { [path]: test } }).records]).toEqual([
            path,
            test,
            [],
          ])
        expect(queries.query({ ...asked, orderBy: [path], limit: 1 }).cursor ?? '').not.toContain(
          'hidden-one',
        )
      }
    }
  })

  it('is given to a device of a guest without the ids of kinds that it may not fetch', () => {
    for (const [isOne, inList] of variants) {
      const store = openStore()
      store.put({ content: 'x' }, { id: 'hidden-one', kind: 'memory' })
      store.put({ schema: 's', data: {} }, { id: 'seen-one', kind: 'fact' })
      store.put(bodyOf(kind, ['hidden-one', 'seen-one', 'no-such-one'], isOne, inList), {
        id: 'made',
        kind: name,
      })
      const row = store.records.row('made') ?? expect.unreachable()
      const reach = createSyncReach({ agent: 'phone', permissions: ['sync'] }, kinds)
      const sent = encodeVisibleChange({ ...store, device: 'd_mirror' }, row, reach)
      expect(sent).not.toMatch(/hidden-one|no-such-one/)
      if (!isOne) expect(sent).toContain('seen-one')
      expect(encodeVisibleChange({ ...store, device: 'd_mirror' }, row, undefined)).toContain('hidden-one')
    }
  })

  it('loses no hidden id when a guest writes it back, as it was shown or otherwise', () => {
    const isShown = (id: string) => id.startsWith('seen')
    for (const [isOne, inList] of variants) {
      const body = bodyOf(kind, ['hidden-1', 'seen-1', 'hidden-2', 'seen-2'], isOne, inList)
      const shown = withShownLinks(kind, body, isShown)
      expect(withHiddenLinks(kind, shown, body, isShown)).toEqual(body)
      const edited = withHiddenLinks(kind, { ...shown, more: 1 }, body, isShown)
      expect(edited).toEqual({ ...body, more: 1 })
      // It adds one, and takes one away that it was shown.
      const other = bodyOf(kind, isOne ? ['seen-3'] : ['seen-1', 'seen-3'], isOne, inList)
      const kept = linkedIds(kind, withHiddenLinks(kind, other, body, isShown))
      if (!inList)
        expect(kept).toEqual(
          expect.arrayContaining(isOne ? ['hidden-1'] : ['hidden-1', 'hidden-2', 'seen-3']),
        )
      expect(kept).not.toContain('seen-2')
    }
  })
})

it('a snapshot for a guest has no path that only the owner may see, also of a kind without policies', () => {
  const store = openTestStore([makeKind({ ownerPaths: ['before'] })])
  opened.push(store)
  store.put({ text: 'now', before: 'then' }, { id: 'one' })
  const reach = readReach({ scope: 'thing:**' }) ?? expect.unreachable()
  const caller = { role: 'guest', token: 't', agent: 'guest', reach, permissions: ['**'] } as const
  const snapshot = shownSnapshot(
    store.queries.within(reach).snapshot({ kinds: ['thing'] }),
    store,
    () => caller,
  )
  const { records } = snapshot.read('thing', 0, 10)
  expect(records).toMatchObject([{ text: 'now' }])
  expect(records[0]).not.toHaveProperty('before')
})
