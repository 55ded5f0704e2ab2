// What of a bundle is refused or left out unless it is wanted on purpose, at every host.
import { expect, it } from 'vitest'
import type { Json } from '../../../src/core/json/path.ts'
import { canonicalText } from '../../../src/core/text/canonical-json.ts'
import { type BookCase, failure, failures } from '../book-case.ts'
import { exported, fill, passphrase } from '../bundle.ts'

export function bundleRefusalCases({ book: open }: BookCase): void {
  it('refuses an open bundle where a passphrase was given, and takes it when none is', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book)
    const text = await exported(book)
    for (const error of await failures([
      other.verify(text, { passphrase }),
      other.import(text, { passphrase }),
      other.import(text, { passphrase, dryRun: true }),
      other.import(JSON.stringify(JSON.parse(text), null, 2), { passphrase, mode: 'replace' }),
    ])) {
      expect(error).toMatchObject({ code: 'not-encrypted', details: { path: 'passphrase' } })
      expect(error.message).toContain('give no passphrase')
    }
    expect((await other.traces.count()).total).toBe(0)
    expect(await other.import(text)).toMatchObject({ imported: 3 })
  })

  it('refuses a bundle that holds less than it says, and takes what is there on purpose', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book)
    const whole = JSON.parse(await exported(book))
    const { traces } = whole.memory
    const cuts = [
      { ...whole.memory, traces: traces.slice(0, 1) },
      { ...whole.memory, traces: undefined },
    ]
    for (const [place, memory] of cuts.entries()) {
      const text = await resummed({ ...whole, memory })
      for (const call of [other.verify(text), other.import(text), other.import(text, { mode: 'replace' })]) {
        expect(await failure(call)).toMatchObject({
          code: 'incomplete-file',
          details: { path: 'statistics.trace_count', said: 3, found: place === 0 ? 1 : 0 },
        })
      }
    }
    expect((await other.traces.count()).total).toBe(0)
    const text = await resummed({ ...whole, memory: { ...whole.memory, traces: traces.slice(0, 1) } })
    expect(await other.import(text, { allowIncomplete: true })).toMatchObject({
      imported: 1,
      bundle: { missing: 2 },
    })
    const more = await resummed({ ...whole, statistics: { ...whole.statistics, trace_count: 2 } })
    expect(await failure(other.import(more, { allowIncomplete: true }))).toMatchObject({
      code: 'invalid-file',
    })
  })

  it('refuses an encrypted bundle that ends with any whole part but the last, also on purpose, and stores nothing', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book, 240)
    const lines = (await exported(book, { passphrase })).split('\n')
    expect(lines.length).toBeGreaterThan(3)
    for (let end = 1; end < lines.length; end++) {
      const text = lines.slice(0, end).join('\n')
      const refused = { code: 'incomplete-file', message: expect.stringContaining('cut') }
      expect(await failure(other.import(text, { passphrase })), `${end}`).toMatchObject(refused)
      const onPurpose = { passphrase, mode: 'replace', allowIncomplete: true } as const
      expect(await failure(other.import(`${text}\n`, onPurpose)), `${end}`).toMatchObject(refused)
    }
    expect((await other.status()).records).toEqual({})
    expect(await other.import(lines.join('\n'), { passphrase })).toMatchObject({ imported: 240 })
  })

  it('leaves control tokens of a bundle out unless they are wanted, whoever made them, and takes the rest', async () => {
    const [book, other] = [await open(), await open()]
    await fill(book)
    const scope = { scope: '**', permissions: ['read'], granted_to: 'guest', expires_at: '2100-01-01' }
    const { token } = await book.tokens.grant(scope)
    const own = await exported(book, { includeTokens: true })
    expect(JSON.parse(own).memory.control_tokens).toHaveLength(1)
    expect((await other.verify(own)).counts).toMatchObject({ trace: 3, token: 1 })
    const kept = await other.tokens.grant(scope)
    const before = (await other.tokens.list()).tokens.length
    const result = await other.import(own, { mode: 'replace' })
    expect(result).toMatchObject({ imported: 3, bundle: { tokensSkipped: 1 } })
    expect((await other.tokens.list()).tokens).toHaveLength(before)
    const { token_id } = kept.token
    expect(await other.tokens.verify({ token_id, scope: '**' })).toMatchObject({ valid: true })
    expect(await failure(other.import(own, { kinds: ['control_tokens'] }))).toMatchObject({
      details: { path: 'includeTokens' },
    })
    const whole = JSON.parse(own)
    const foreign = {
      token_id: 't-1',
      type: 'session',
      scope: 'session:1',
      granted_to: 'bob',
      revoked: false,
    }
    const memory = { ...whole.memory, control_tokens: [foreign, { secret: 'of another form' }] }
    const agent = { id: 'bob', type: 'student_companion', version: '1' }
    const seed = { ...whole, agent, memory, statistics: { trace_count: 3 } }
    const third = await open()
    expect(await third.import(await resummed(seed))).toMatchObject({
      imported: 3,
      bundle: { tokensSkipped: 2 },
    })
    expect(await third.import(own, { includeTokens: true })).toMatchObject({ imported: 1 })
    expect((await third.tokens.list()).tokens.map(({ token_id }) => token_id)).toContain(token.token_id)
  })
}

/** A bundle with the checksum that its content has. */
async function resummed(bundle: Record<string, unknown>): Promise<string> {
  const { integrity: _integrity, ...content } = JSON.parse(JSON.stringify(bundle)) as Record<string, Json>
  const bytes = new TextEncoder().encode(canonicalText(content))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return JSON.stringify({ ...content, integrity: { checksum: `sha256:${hex}` } })
}
