// Memories and proposals of another book are guarded by their category from the moment that they arrive.
import { afterEach, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/path.ts'
import type { Stored } from '../../../src/core/record.ts'
import { memoryKind } from '../../../src/memory/consent/memory/memory-kind.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { failure } from '../../contract/book-case.ts'
import { bundleOf } from '../../support/bundle-source.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { closeSites, openSite } from '../memory/conversation/site.ts'

afterEach(closeSites)

const at = '2026-01-01T00:00:00.000Z'
const memory = (id: string, category: string, status: string) =>
  ({
    id,
    kind: 'memory',
    ver: 0,
    agent: 'x',
    created_at: at,
    updated_at: at,
    content: `Words of ${id}`,
    category,
    memory_type: 'semantic',
    status,
    confidence: 0.9,
    labels: [],
    tags: [],
    source: { type: 'user_manual', timestamp: at },
    metadata: {},
  }) as unknown as Stored<JsonObject>

/** A bundle of another program, which names no sensitivity. */
const foreignBundle = () => {
  const records = [
    memory('m-approved', 'a2p:health.conditions', 'approved'),
    memory('m-pending', 'a2p:financial', 'pending'),
    memory('m-usual', 'a2p:interests', 'approved'),
  ]
  return bundleOf(records, [memoryKind], createTestTime().ports)
}

it('seals what waits for the owner as its category requires', async () => {
  const text = await foreignBundle()
  const { book, saying } = openSite(createTestTime().ports, { vault: openNodeVault(undefined) })
  expect((await book.import(text, { dryRun: true })).bundle).toMatchObject({ imported: 3, lowered: 2 })
  expect((await book.import(text)).bundle).toMatchObject({ imported: 3, lowered: 2 })
  const { memories } = await book.memories.query({ status: 'pending' })
  const levels = Object.fromEntries(memories.map(({ id, sensitivity }) => [id, sensitivity]))
  expect(levels).toEqual({ 'm-approved': 'restricted', 'm-pending': 'restricted', 'm-usual': 'standard' })
  for (const id of ['m-approved', 'm-pending']) expect(saying(`Words of ${id}`)).toEqual([])
  // The same once more changes nothing.
  expect((await book.import(text)).bundle).toMatchObject({ unchanged: 3, imported: 0, conflictCount: 0 })
  await book.proposals.review({ id: 'm-approved', action: 'edit', edited: { sensitivity: 'standard' } })
  expect((await book.memories.query()).memories).toMatchObject([{ sensitivity: 'standard' }])
})

it('takes none where the verbs store none: in a book that can have no keys', async () => {
  const text = await foreignBundle()
  const { ports, pass } = createTestTime()
  const { book, saying } = openSite(ports)
  const stored = await failure(book.memories.store({ content: 'Has diabetes', category: 'a2p:health' }))
  const imported = await failure(book.import(text))
  expect([imported.code, imported.details['reason']]).toEqual([stored.code, stored.details['reason']])
  await pass()
  expect(saying('Words of m-')).toEqual([])
  // The owner's own decision about them counts.
  await book.import(text, { decisions: 'keep' })
  expect((await book.memories.query()).memories).toHaveLength(2)
})
