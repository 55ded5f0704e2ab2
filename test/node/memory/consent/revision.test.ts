// Undo of changes that proposals made to a memory, in any order. Pure.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { withoutEndedRevisions, withRevision } from '../../../../src/memory/consent/memory/revision.ts'
import type { MemoryBody } from '../../../../src/memory/consent/memory/memory-schema.ts'

const memory = { content: 'text 0', category: 'a2p:interests.music', tags: ['old'] } as unknown as MemoryBody

const numbers = [1, 2, 3, 4]

interface Changes {
  /** Texts of the changes 1 to 4. */
  readonly texts?: readonly string[]
  /** Seconds of the clocks at each change. */
  readonly seconds?: readonly number[]
}

/** A memory that four proposals changed, one after another. */
function revisedMemory({
  texts = numbers.map((i) => `text ${i}`),
  seconds = numbers,
}: Changes = {}): JsonObject {
  return numbers.reduce(
    (body, i) =>
      withRevision(
        body,
        { content: texts[i - 1] ?? '', ...(i % 2 === 0 ? { labels: [`label ${i}`] } : {}) },
        { proposal: `p${i}`, revisionKey: `p${i}`, at: `2026-01-01T00:00:0${seconds[i - 1]}.000Z` },
      ),
    memory,
  ) as unknown as JsonObject
}

const orders = fc.shuffledSubarray(['p1', 'p2', 'p3', 'p4'], { minLength: 1 })
/** Undoes the changes of `order` one after another. */
const undoEach = (order: readonly string[], revised: JsonObject) =>
  order.reduce((undone, key) => withoutEndedRevisions(undone, (proposal) => proposal === key), revised)
/** The greatest number of a change that `order` does not undo. */
const lastLeft = (order: readonly string[], from: readonly number[] = numbers) =>
  from.findLast((i) => !order.includes(`p${i}`))

function expectUndone(body: JsonObject, order: readonly string[]): void {
  const labelled = lastLeft(order, [2, 4])
  expect(body).toMatchObject({ content: `text ${lastLeft(order) ?? 0}`, tags: ['old'] })
  expect(body['labels']).toEqual(labelled === undefined ? undefined : [`label ${labelled}`])
  expect(JSON.stringify(body)).not.toMatch(
    new RegExp(`"text (?:${order.map((key) => key.slice(1)).join('|')})"`),
  )
}

it('restores the text before all undone changes, in whatever order they are undone', () => {
  fc.assert(fc.property(orders, (order) => expectUndone(undoEach(order, revisedMemory()), order)))
})

it('does so whatever the clocks of the changes say, one after another and all at once', () => {
  const clocks = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(orders, clocks, (order, seconds) => {
      const revised = revisedMemory({ seconds })
      expectUndone(undoEach(order, revised), order)
      expectUndone(
        withoutEndedRevisions(revised, (proposal) => order.includes(proposal)),
        order,
      )
    }),
  )
})

it('does so with texts that return, if the clocks agree', () => {
  const returning = fc
    .array(fc.constantFrom('text 0', 'text 1', 'text 2'), { minLength: 4, maxLength: 4 })
    .filter((texts) => texts.every((text, i) => text !== (texts[i - 1] ?? 'text 0')))
  fc.assert(
    fc.property(orders, returning, (order, texts) => {
      const left = lastLeft(order)
      const content = left === undefined ? 'text 0' : texts[left - 1]
      expect(undoEach(order, revisedMemory({ texts }))['content']).toBe(content)
    }),
  )
})

it('removes an undone text from the next change below a text that the user wrote last', () => {
  const ownText = { ...revisedMemory({ seconds: [4, 3, 2, 1] }), content: 'own text' }
  const body = undoEach(['p2'], ownText)
  expect(body['content']).toBe('own text')
  expect(JSON.stringify(body)).not.toContain('text 2')
})

it('leaves a text that the user wrote between two changes', () => {
  const first = { proposal: 'p1', revisionKey: 'p1', at: '2026-01-01T00:00:00.000Z' }
  const ownText: MemoryBody = { ...withRevision(memory, { content: 'text 1' }, first), content: 'own text' }
  const change = { proposal: 'p2', revisionKey: 'p2', at: '2026-01-02T00:00:00.000Z' }
  const body = withRevision(ownText, { content: 'text 2' }, change) as unknown as JsonObject
  expect(undoEach(['p1', 'p2'], body)['content']).toBe('own text')
})
