// The import of a bundle that has an id which the book uses for another kind, or decisions of another book.
import { expect, it } from 'vitest'
import { canonicalText } from '../../../src/core/text/canonical-json.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import type { Stored } from '../../../src/core/record.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { bundleOf } from '../../support/bundle-source.ts'

const open = () => openDaybook({ name: 'bundle-merge', path: ':memory:', agent: 'a' })

function bundle(kindName: string, body: JsonObject, at: string): Promise<string> {
  const kind = kinds.get(kindName)
  if (!kind) throw new Error(`There is no kind ${kindName}.`)
  const record = { ...body, id: 'one-id', created_at: at, updated_at: at, ver: 0, agent: 'a' }
  return bundleOf([{ ...record, kind: kindName } as Stored<JsonObject>], [kind], nodePorts)
}

const observation = { type: 'observation', content: 'a heron', confidence: 1, evidence: [] }
const message = {
  msg_id: '',
  content: 'a stork',
  source: { type: 'User' },
  timestamp: '2026-01-02T00:00:00.000Z',
  metadata: {},
}

it.each(['merge', 'replace'] as const)(
  'the book wins by %s if its record with the same id is of another kind',
  async (mode) => {
    await using book = await open()
    await book.import(await bundle('perception', observation, '2026-01-01T00:00:00.000Z'))
    const text = await bundle('message', message, '2026-01-02T00:00:00.000Z')
    const dry = await book.import(text, { mode, dryRun: true })
    const real = await book.import(text, { mode })
    expect(real.bundle).toMatchObject({
      imported: 0,
      updated: 0,
      unchanged: 0,
      conflicts: [{ id: 'one-id', kind: 'message', winner: 'book' }],
    })
    expect(canonicalText({ ...dry.bundle, dryRun: false } as never)).toBe(canonicalText(real.bundle as never))
    expect(await book.records.get({ id: 'one-id' })).toMatchObject(observation)
  },
)

it.each(['merge', 'replace'] as const)(
  'the book wins by %s over a sealed record of another kind',
  async (mode) => {
    await using book = await open()
    await book.import(await bundle('perception', observation, '2026-01-01T00:00:00.000Z'))
    const ct = 'A'.repeat(24)
    const sealed = { alg: 'A256GCM', kid: `k_${'0'.repeat(16)}`, v: 1, n: 'A'.repeat(16), ct }
    const text = await bundle('message', { sealed, sensitivity: 'sensitive' }, '2026-01-02T00:00:00.000Z')
    const { bundle: report } = await book.import(text, { mode })
    expect(report).toMatchObject({ updated: 0, conflicts: [{ id: 'one-id', winner: 'book' }] })
    expect(await book.records.get({ id: 'one-id' })).toMatchObject(observation)
  },
)

it('counts a decision as lowered only if the record is stored without it', async () => {
  await using from = await open()
  await from.with({ agent: 'did:a2p:agent:local:x' }).proposals.propose({
    id: 'prop_elsewhere',
    content: 'Prefers tea',
    category: 'a2p:preferences',
  })
  await from.proposals.review({ id: 'prop_elsewhere', action: 'approve' })
  const text = await new Response(await from.export()).text()
  await using book = await open()
  expect((await book.import(text)).bundle).toMatchObject({ imported: 2, lowered: 2 })
  const { bundle: again } = await book.import(text)
  expect(again).toMatchObject({ imported: 0, updated: 0, unchanged: 2 })
  expect(again?.lowered).toBeUndefined()
})
