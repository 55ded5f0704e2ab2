// What is left sensitive at an edge over HTTP: sealed to the book's public key there, and opened with its keys alone.
import { expect, it } from 'vitest'
import { toBase64Url } from '../../../src/shape/encoded-bytes.ts'
import type { KeyVault } from '../../../src/core/ports.ts'
import type { SealedBody } from '../../../src/core/sealed.ts'
import { Keychain } from '../../../src/trust/seal/keychain.ts'
import { webPorts } from '../../../src/web/web-ports.ts'
import { sealingKeyOf } from '../../../src/web/web-cipher.ts'
import { type GuestHost, openGuestWorld } from './guest-world.ts'

const at = '2026-01-01T00:00:00.000Z'

/** A vault in memory. */
async function openVault(): Promise<KeyVault> {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const key = await crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const device = sealingKeyOf(key, {
    subtle: crypto.subtle,
    encode: (text) => new TextEncoder().encode(text),
    decode: (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
  })
  let kept: string | undefined
  return {
    read: async () => kept,
    async write(text) {
      kept = text
    },
    deviceKey: async () => device,
  }
}

/** The keys of a book as a device has them. */
export async function openKeys(book: string) {
  const { random, cipher, aes, encapsulation } = webPorts
  const names = () => ({ present: book, earlier: [] })
  const keychain = new Keychain({ random, cipher, aes, encapsulation, names, vault: await openVault() })
  await keychain.ensureKey()
  const publicKey = keychain.publicHalf()?.publicKey ?? new Uint8Array()
  const record = {
    id: 'public_key::book',
    kind: 'public_key',
    body: { public_key: toBase64Url(publicKey), book, added_at: at },
  }
  const open = async (owner: { kind: string; id: string }, sealed: SealedBody) => {
    keychain.requestKey(sealed)
    await keychain.receiveRequestedKeys()
    return JSON.parse(keychain.open(owner, sealed) ?? 'null') as object | null
  }
  return { record, open }
}

export function sealedRouteCases(host: GuestHost): void {
  it('seals to the book’s public key what a guest leaves there, so that nobody there can read it', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const keys = await openKeys('the-owner-s-name-of-it')
    const guest = await world.guest({
      permissions: ['read', 'write'],
      scope: 'course:CS101',
      holder: 'grader',
    })
    const said = { content: 'takes insulin', confidence: 1, sensitivity: 'sensitive' }
    const early = await guest.run('kstar:store_perception', said)
    expect([early.status, JSON.parse(early.text)]).toMatchObject([
      423,
      { code: 'locked', details: { missing: 'public_key' } },
    ])
    const [stored] = (await owner.sync([keys.record])).results
    expect(stored?.s).toBe('ok')
    const again = { 'Idempotency-Key': 'left-once' }
    const first = await guest.run('kstar:store_perception', said, again)
    expect([first.status, first.text]).toEqual([200, expect.not.stringContaining('insulin')])
    const { id } = JSON.parse(first.text) as { id: string }
    expect(JSON.parse((await guest.run('kstar:store_perception', said, again)).text)).toMatchObject({ id })
    const left = (await world.records()).get(id)
    expect([left?.body, left?.sensitivity, left?.agent]).toEqual([undefined, 'sensitive', 'grader'])
    expect(JSON.stringify(left)).not.toContain('insulin')
    expect(await keys.open({ kind: 'perception', id }, left?.enc as SealedBody)).toMatchObject({
      content: 'takes insulin',
    })
    expect(await keys.open({ kind: 'perception', id: 'another' }, left?.enc as SealedBody)).toBeNull()
  })

  it('answers what is open, and says how many sealed records it left out: to each of those in its reach', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    await owner.sync([(await openKeys('b')).record])
    const store = (resource: string, content: string, sensitivity: string) =>
      owner.done('kstar:store_perception', { content, confidence: 1, resource, sensitivity })
    await store('course:CS101', 'the red harbour', 'standard')
    await store('course:CS101', 'the harbour of secrets', 'sensitive')
    await store('course:CS102', 'another harbour', 'restricted')
    const asked = async (who: typeof owner) => {
      const recalled = await who.done<{ hits: object[]; sealed?: number }>('daybook:recall', {
        text: 'harbour',
      })
      const listed = await who.done<{ records: object[]; sealed?: number }>('kstar:query_perceptions', {})
      const stats = await who.done<{ sealed?: number }>('kstar:get_stats', {})
      return [recalled.hits.length, recalled.sealed, listed.records.length, listed.sealed, stats.sealed]
    }
    expect(await asked(owner)).toEqual([1, 2, 1, 2, 2])
    const guest = await world.guest({ permissions: ['read'], scope: 'course:CS101', holder: 'grader' })
    expect(await asked(guest)).toEqual([1, 1, 1, 1, 1])
    const stranger = await world.guest({ permissions: ['read'], scope: 'course:CS9', holder: 'other' })
    expect(await asked(stranger)).toEqual([0, undefined, 0, undefined, undefined])
  })

  it('takes the public key of the owner alone, and none that is no key', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const { record } = await openKeys('b')
    const guest = await world.guest({
      permissions: ['sync', 'write'],
      holder: 'grader',
    })
    expect((await guest.sync([record])).results).toMatchObject([
      { s: 'rejected', error: { code: 'forbidden' } },
    ])
    const short = { ...record, body: { ...record.body, public_key: 'AAAA' } }
    expect((await owner.sync([short])).results).toMatchObject([
      { s: 'rejected', error: { code: 'invalid-input', details: { path: 'public_key' } } },
    ])
    // All zeros is a point that RFC 7748 has everybody refuse: nothing can be sealed to it.
    const weak = { ...record, body: { ...record.body, public_key: 'A'.repeat(43) } }
    expect((await owner.sync([weak])).results).toMatchObject([{ s: 'ok' }])
    const secret = { content: 'takes insulin', confidence: 1, sensitivity: 'sensitive' }
    expect((await owner.run('kstar:store_perception', secret)).status).toBe(423)
  })

  it('takes a sensitive message for an agent once, however often it is sent, and cannot read it', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const keys = await openKeys('b')
    await owner.sync([keys.record])
    const guest = await world.guest({ permissions: ['inbox:send'], scope: 'inbox:tutor', holder: 'clinic' })
    const message = { to: 'tutor', text: 'takes insulin', sensitivity: 'restricted', key: 'one' }
    const { id, sent } = await guest.done<{ id: string; sent: boolean }>('inbox:send', message)
    expect(sent).toBe(true)
    expect(await guest.done('inbox:send', message)).toEqual({ id, sent: false })
    expect(await owner.done('inbox:list', { agent: 'tutor' })).toEqual({ messages: [], sealed: 1 })
    expect(await owner.done('inbox:take', { agent: 'tutor' })).toEqual({
      messages: [],
      more: false,
      sealed: 1,
    })
    const left = (await world.records()).get(id)
    expect(left?.body).toBeUndefined()
    expect(await keys.open({ kind: 'inbox', id }, left?.enc as SealedBody)).toMatchObject({
      text: 'takes insulin',
      from: 'clinic',
    })
  })

  it('exports with what it can’t read sealed as it lies', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    await owner.sync([(await openKeys('b')).record])
    const secret = { content: 'takes insulin', confidence: 1, sensitivity: 'sensitive' }
    const { id } = await owner.done<{ id: string }>('kstar:store_perception', secret)
    const { text, sealed } = await owner.done<{ text: string; sealed?: number }>('bundle:export', {})
    const bundle = JSON.parse(text) as { memory: { perceptions: object[] }; statistics: object }
    expect([sealed, bundle.statistics]).toMatchObject([1, { perception_count: 1, sealed_count: 1 }])
    const enc = (await world.records()).get(id)?.enc
    expect(bundle.memory.perceptions).toMatchObject([{ id, sealed: enc }])
  })
}
