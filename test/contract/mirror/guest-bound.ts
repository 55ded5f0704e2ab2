// What guests are held to at the door of a mirror, wherever it is answered: what they may store, and when they end.
import { expect, it } from 'vitest'
import type { MirrorDoor } from '../../../src/edge/mirror-door.ts'
import { fromOutcome } from '../../../src/edge/outcome.ts'
import { makeTrace } from '../../support/trace.ts'
import { type AnswerMirrorHost, syncRequest } from './answer-mirror.ts'
import { failure } from './mirror-case.ts'
import { createOwner } from './signed-token.ts'

export interface GuestBoundHost extends Pick<AnswerMirrorHost, 'move'> {
  door(book: string): Pick<MirrorDoor, 'admit' | 'call' | 'exchange'>
  /** The latest time that the book has kept as seen. */
  keptTime(book: string): Promise<number>
  /** Runs `work` while the clock of whoever answers at the doors says a later time, by so much. */
  later<Result>(ms: number, work: () => Promise<Result>): Promise<Result>
}

type Granted = Awaited<ReturnType<Awaited<ReturnType<typeof createOwner>>['grant']>>

const at = '2026-01-01T00:00:00.000Z'
let books = 0
const newBook = () => `bound-${++books}`

export function guestBoundCases({ door, move, keptTime, later }: GuestBoundHost): void {
  const call = async <Output = unknown>(book: string, id: string, input: object = {}) =>
    (await fromOutcome(door(book).call(id, input, {}))) as Output

  it('bounds what waits for its owner by what a guest and all its delegates have sent, wherever and however that came', async () => {
    const book = newBook()
    const owner = await createOwner()
    const type = 'delegation'
    const mallory = await owner.grant({ granted_to: 'mallory', type })
    const expires_at = '2098-01-01T00:00:00.000Z'
    const below = [
      await owner.grant({ granted_to: 'helper', expires_at }, mallory.token),
      await owner.grant({ granted_to: 'robot', expires_at }, mallory.token),
      await owner.grant({ granted_to: 'sensor', expires_at }, mallory.token),
    ]
    const other = await owner.grant({ granted_to: 'honest' })
    const request = JSON.parse(syncRequest) as object
    await fromOutcome(door(book).exchange(JSON.stringify({ ...request, ops: owner.ops }), {}))
    let devices = 0
    /** What comes of ten letters; from a device of its own each time, so that nothing is known of it. */
    const send = async ({ bearer, token }: Granted, count = 10) => {
      const from = token.delegation_chain.length > 0 ? `${token.granted_to} by mallory` : token.granted_to
      const device = `d_sender${(devices += 1)}`
      const data = { text: 'x'.repeat(60_000) }
      const body = {
        to: 'edge',
        from,
        text: 'Read',
        data,
        sentAt: at,
        deliveredTo: [],
        acknowledgedBy: [],
      }
      const ops = Array.from({ length: count }, (_, i) => ({
        mid: i + 1,
        op: 'put',
        kind: 'inbox',
        id: `letter-${devices}-${i}`,
        base: 0,
        agent: from,
        at,
        created_at: at,
        stamp: `019b00000000-0000-${device}`,
        body,
      }))
      const text = JSON.stringify({ ...request, device, ops })
      const answer = JSON.parse(await fromOutcome(door(book).exchange(text, { bearer }))) as {
        results: { s: string; error?: { code: string; details: object } }[]
      }
      return answer.results.map(({ s, error }) => error ?? s)
    }
    const full = { code: 'quota-exceeded', details: { quota: 'inbox', part: 'bytes', limit: 4_194_304 } }
    const outcomes: unknown[] = []
    for (let i = 0; i < 7; i++) {
      if (i % 2 === 1) await move(book)
      outcomes.push(...(await send(below[i % 3] ?? mallory)))
    }
    expect(outcomes).toMatchObject([...Array<string>(69).fill('ok'), full])
    const letter = { text: 'Read', data: { text: 'x'.repeat(60_000) } }
    for (let i = 0; i < 2; i++) {
      for (const one of [...below, mallory]) {
        expect(await send(one, 1)).toMatchObject([full])
        const asked = door(book).call('inbox:send', letter, { bearer: one.bearer })
        expect(await failure(fromOutcome<unknown>(asked))).toMatchObject(full)
      }
      await move(book)
    }
    expect(await send(other, 1)).toEqual(['ok'])
    const { guestQuota } = await call<{ guestQuota: { usedBytes: number } }>(book, 'daybook:status')
    expect(guestQuota.usedBytes).toBeGreaterThan(70 * 60_000)
    expect(guestQuota.usedBytes).toBeLessThan(71 * 61_000)
    // Its owner is not held up, and makes room.
    await call(book, 'inbox:send', { to: 'edge', text: 'From me' })
    await call(book, 'kstar:forget', { id: 'letter-1-0' })
    await move(book)
    expect(await send(mallory, 2)).toMatchObject(['ok', full])
  })

  const codes = async (book: string, bearer: string) => {
    const asked = [
      await door(book).admit('daybook:sync', { bearer }),
      await door(book).exchange(syncRequest, { bearer }),
      await door(book).call('kstar:query_traces', {}, { bearer }),
    ]
    return asked.map((one) => (one.ok ? 'ok' : one.error.code))
  }
  const all = (code: string) => [code, code, code]

  it.each([
    ['written to', 'kstar:store_trace', makeTrace()],
    ['read', 'kstar:query_traces', {}],
  ] as const)(
    'lets no key in again that ended before its clock was set back, where the book was last %s',
    async (_how, verb, input) => {
      const book = newBook()
      const hourMs = 3_600_000
      const endMs = Date.now() + hourMs
      const expires_at = new Date(endMs).toISOString()
      const permissions = ['sync', 'read']
      const made = { name: 'key', permissions, expires_at }
      const { key } = await call<{ key: string }>(book, 'daybook:create_access_key', made)
      expect(await codes(book, key)).toEqual(all('ok'))
      await later(2 * hourMs, async () => {
        await call(book, verb, input)
        // Kept when the book is idle, where nothing was written.
        await expect.poll(() => keptTime(book)).toBeGreaterThan(endMs)
      })
      for (let i = 0; i < 2; i++) {
        await move(book)
        expect(await codes(book, key)).toEqual(all('unauthorized'))
      }
      // What the book writes now does not make it forget.
      await call(book, 'kstar:store_trace', makeTrace())
      await move(book)
      expect(await codes(book, key)).toEqual(all('unauthorized'))
      await call(book, 'daybook:reset_clock')
      for (let i = 0; i < 2; i++) {
        await move(book)
        expect(await codes(book, key)).toEqual(all('ok'))
      }
    },
  )
}
