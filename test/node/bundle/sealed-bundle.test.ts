// Bundles with records that are sealed as they lay: what of them is refused, with its place, before anything is changed.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isDaybookError } from '../../../src/core/errors.ts'
import { canonicalText } from '../../../src/core/text/canonical-json.ts'
import type { Json } from '../../../src/core/json/path.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

let book: Daybook
beforeEach(async () => {
  book = await openDaybook({ name: 'sealed-bundle', path: ':memory:', agent: 'a' })
})
afterEach(() => book.close())

const bring = async (text: string) => (await book.import(text)).bundle

const at = '2026-01-01T00:00:00.000Z'
const enc = {
  alg: 'A256GCM',
  kid: `k_${'0'.repeat(16)}`,
  v: 1,
  n: 'A'.repeat(16),
  ct: 'A'.repeat(24),
}
const record = (change: object = {}) => ({
  id: 'p-1',
  created_at: at,
  updated_at: at,
  agent: 'a',
  sensitivity: 'sensitive',
  sealed: enc,
  ...change,
})

/** A bundle as its writer spells it. */
function bundle(one: object, list = 'perceptions', kind = 'perception', type = 't'): string {
  const content = {
    format: 'kstar-bundle',
    version: '1.0.0',
    exported_at: at,
    agent: { id: 'a', type, version: '1' },
    memory: { [list]: [one] },
    schemas_used: [],
    statistics: { [`${kind}_count`]: 1, date_range: { earliest: at, latest: at }, sealed_count: 1 },
  }
  const checksum = `sha256:${createHash('sha256')
    .update(canonicalText(content as Json))
    .digest('hex')}`
  const { format, version, exported_at, agent, memory, schemas_used, statistics } = content
  const parts = {
    format,
    version,
    exported_at,
    agent,
    memory,
    schemas_used,
    statistics,
    integrity: { checksum },
  }
  const spelled = Object.entries(parts).map(([name, value]) => `"${name}":${canonicalText(value as Json)}`)
  return `{${spelled.join(',')}}`
}

describe('a record of a bundle that is sealed', () => {
  it('is kept as it is where its key is not', async () => {
    expect(await bring(bundle(record()))).toMatchObject({ imported: 1, sealed: 1, unreadable: 1 })
    expect((await failure(book.records.get({ id: 'p-1' }))).code).toBe('locked')
    expect(await bring(bundle(record()))).toMatchObject({ unchanged: 1, unreadable: 1 })
  })

  it.each([
    ['another resource', { resource: 'public' }],
    ['another session', { session: 's' }],
    ['less sensitivity', { sensitivity: 'sensitive' }],
  ])('is refused with %s than it was sealed for, which no mirror takes', async (_what, change) => {
    const head = {
      stamp: `019b00000000-0000-d_${'a'.repeat(32)}`,
      resource: 'private',
      sensitivity: 'restricted',
    }
    const one = record({ resource: 'private', sensitivity: 'restricted', sealed: { ...enc, head } })
    expect(await failure(bring(bundle({ ...one, ...change })))).toMatchObject({ code: 'invalid-file' })
    expect((await book.records.query()).sealed).toBeUndefined()
    expect(await bring(bundle(one))).toMatchObject({ imported: 1, unreadable: 1 })
  })

  it('stays, or goes into the log of conflicts, by which is later', async () => {
    await book.import(bundle(record()))
    const later = record({ updated_at: '2026-01-02T00:00:00.000Z', sealed: { ...enc, ct: 'B'.repeat(24) } })
    expect(await bring(bundle(later))).toMatchObject({
      updated: 1,
      conflicts: [{ id: 'p-1', winner: 'bundle' }],
    })
    expect(await bring(bundle(record()))).toMatchObject({
      updated: 0,
      conflicts: [{ id: 'p-1', winner: 'book' }],
    })
    const { conflicts } = await book.conflicts.list()
    expect(conflicts.map(({ loser }) => loser.sealed?.kid)).toEqual([enc.kid, enc.kid])
    await book.records.forget({ id: 'p-1' })
    expect(await bring(bundle(record()))).toMatchObject({
      imported: 0,
      conflicts: [{ forgotten: true }],
    })
  })

  const logged = async () => {
    const { conflicts } = await book.conflicts.list()
    return conflicts.map(({ record: id, loser, winner }) => [id, loser.sealed?.kid, winner?.op])
  }

  it('goes into the log of conflicts, once, where the book has a record that can be read', async () => {
    const { sealed: _sealed, sensitivity: _sensitivity, ...head } = record()
    const clear = { ...head, type: 'observation', content: 'in clear', confidence: 1, evidence: [] }
    await bring(bundle(clear))
    for (let i = 0; i < 2; i++)
      expect(await bring(bundle(record({ updated_at: '2026-01-02T00:00:00.000Z' })))).toMatchObject({
        updated: 0,
        conflicts: [{ id: 'p-1', winner: 'book' }],
      })
    expect(await book.records.get({ id: 'p-1' })).toMatchObject({ content: 'in clear' })
    expect(await logged()).toEqual([['p-1', enc.kid, 'put']])
  })

  it.each(['merge', 'replace'] as const)(
    'wins by %s over a readable record of a bundle where its key is not',
    async (mode) => {
      await bring(bundle(record()))
      const { sealed: _sealed, sensitivity: _sensitivity, ...head } = record()
      const clear = { ...head, type: 'observation', content: 'in clear', confidence: 1, evidence: [] }
      const text = bundle({ ...clear, updated_at: '2026-01-02T00:00:00.000Z' })
      for (const dryRun of [true, false])
        expect((await book.import(text, { mode, dryRun })).bundle).toMatchObject({
          imported: 0,
          updated: 0,
          conflicts: [{ id: 'p-1', winner: 'book' }],
        })
      expect((await failure(book.records.get({ id: 'p-1' }))).code).toBe('locked')
      expect((await book.conflicts.list()).conflicts).toEqual([])
    },
  )

  it.each([
    ['sealed.alg', record({ sealed: { ...enc, alg: 'A128GCM' } })],
    ['sealed.kid', record({ sealed: { ...enc, kid: 'k_1' } })],
    ['sealed.v', record({ sealed: { ...enc, v: -1 } })],
    ['sealed.n', record({ sealed: { ...enc, n: 'AAAA' } })],
    ['sealed.ct', record({ sealed: { ...enc, ct: '%' } })],
    ['sealed.more', record({ sealed: { ...enc, more: 1 } })],
    ['content', record({ content: 'in clear' })],
    ['sensitivity', record({ sensitivity: 'standard' })],
    ['sensitivity', record({ sensitivity: undefined })],
  ])('is refused at `%s`, and nothing is changed', async (path, one) => {
    const error = await failure(book.import(bundle(JSON.parse(JSON.stringify(one)) as object)))
    expect([error.code, error.details['path']]).toEqual(['invalid-file', `memory.perceptions.0.${path}`])
    expect((await book.status()).records).toEqual({})
  })

  it('comes back as it was where its key is, if a newer Daybook wrote it', async () => {
    const keyed = await openDaybook({
      name: 'keyed',
      path: ':memory:',
      agent: 'a',
      passphrase: 'correct horse',
    })
    try {
      const body = { ...record({ later: { said: 'otherwise' } }), sealed: undefined }
      const ours = bundle(JSON.parse(JSON.stringify(body)) as object, 'perceptions', 'perception', 'daybook')
      expect((await keyed.bundles.import({ text: ours })).result).toMatchObject({ imported: 1 })
      const before = await keyed.records.get({ id: 'p-1' })
      expect(before).toMatchObject({ later: { said: 'otherwise' } })
      const { text } = await keyed.bundles.export({ includeSensitive: 'sealed' })
      expect(text).not.toContain('otherwise')
      expect((await keyed.bundles.import({ text })).result).toMatchObject({ unchanged: 1 })
      await keyed.records.forget({ id: 'p-1' })
      expect((await keyed.bundles.import({ text, mode: 'replace' })).result).toMatchObject({ imported: 1 })
      expect(await keyed.records.get({ id: 'p-1' })).toEqual(before)
    } finally {
      await keyed.close()
    }
  })

  it('is refused where every copy must be able to read it', async () => {
    const error = await failure(book.import(bundle(record(), 'fact_schemas', 'fact_schema')))
    expect([error.code, error.details['path']]).toEqual(['invalid-file', 'memory.fact_schemas.0.sealed'])
  })

  it('breaks nothing, whatever its bytes are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 0, maxLength: 120 }), fc.json(), async (bytes, json) => {
        const ct = Buffer.from(bytes).toString('base64')
        const kid = (await book.seal.status()).current ?? enc.kid
        for (const sealed of [{ ...enc, ct, kid }, JSON.parse(json) as unknown]) {
          const text = bundle(record({ id: `p-${ct.length}-${json.length}`, sealed }))
          const outcome = await book.import(text).catch((error: unknown) => error)
          if (outcome instanceof Error) expect(isDaybookError(outcome) && outcome.code).toBe('invalid-file')
        }
        expect((await book.perceptions.query({})).records).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})
