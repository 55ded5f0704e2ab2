// Undo of changes that proposals made to a memory, in any order. Pure.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { withoutEndedRevisions, withRevision } from '../../../../src/memory/consent/memory/revision.ts'
import type { MemoryBody } from '../../../../src/memory/consent/memory/memory-schema.ts'

const memory = { content: 'text 0', category: 'a2p:interests.music', tags: ['old'] } as unknown as MemoryBody

/** A memory that `count` proposals changed, one after another. */
function revisedBy(count: number): JsonObject {
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  return numbers.reduce(
    (body, i) =>
      withRevision(
        body,
        { content: `text ${i}`, ...(i % 2 === 0 ? { labels: [`label ${i}`] } : {}) },
        { proposal: `p${i}`, revisionKey: `p${i}`, at: `2026-01-01T00:00:0${i}.000Z` },
      ),
    memory,
  ) as unknown as JsonObject
}

it('restores the text before all undone changes, in whatever order they are undone', () => {
  const orders = fc.shuffledSubarray(['p1', 'p2', 'p3', 'p4'], { minLength: 1 })
  fc.assert(
    fc.property(orders, (order) => {
      const body = order.reduce(
        (undone, key) => withoutEndedRevisions(undone, (proposal) => proposal === key),
        revisedBy(4),
      )
      const left = [1, 2, 3, 4].filter((i) => !order.includes(`p${i}`))
      const labelled = left.filter((i) => i % 2 === 0).at(-1)
      expect(body).toMatchObject({ content: `text ${left.at(-1) ?? 0}`, tags: ['old'] })
      expect(body['labels']).toEqual(labelled === undefined ? undefined : [`label ${labelled}`])
      expect(JSON.stringify(body)).not.toMatch(
        new RegExp(`"text (?:${order.map((key) => key.slice(1)).join('|')})"`),
      )
    }),
  )
})

it('leaves a text that the user wrote between two changes', () => {
  const ownText = { ...revisedBy(1), content: 'own text' } as unknown as MemoryBody
  const change = { proposal: 'p2', revisionKey: 'p2', at: '2026-01-02T00:00:00.000Z' }
  const body = withRevision(ownText, { content: 'text 2' }, change) as unknown as JsonObject
  const undone = withoutEndedRevisions(body, (proposal) => proposal === 'p1')
  expect(withoutEndedRevisions(undone, (proposal) => proposal === 'p2')['content']).toBe('own text')
})
