// Every verb over the socket of a book, as the holder of a token that permits too little, has ended or was revoked. Without a token
// whoever can open the socket is the owner, as they can open the file.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { rights } from '../../../../../src/core/access/permission.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { grant } from '../../../../contract/access/token-grant.ts'
import {
  askedFor,
  bareMessage,
  envelopeMessage,
  rightOf,
} from '../../../../contract/seed-shape/token-message.ts'
import { everyPermission, rightsBut } from '../../../../contract/access/verb-right.ts'
import { frameOf, openRaw, type RawSocket, socketOf } from './raw-socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-matrix-'))
const path = join(folder, 'matrix.daybook')
const bearers = new Map<string, string>()
let book: Daybook

beforeAll(async () => {
  book = await openDaybook({ name: 'matrix', path })
  const make = async (name: string, permissions: readonly string[], more: object = {}) => {
    const { token, bearer = '' } = await grant(book, { permissions: [...permissions], ...more })
    bearers.set(name, bearer)
    return token.token_id
  }
  const ending = await make('ended', everyPermission, {
    expires_at: new Date(Date.now() + 500).toISOString(),
  })
  await make('narrow', ['evaluate'])
  await make('wide', everyPermission)
  for (const right of rights) await make(`all but ${right}`, rightsBut(right))
  const token_id = await make('revoked', everyPermission)
  await book.tokens.revoke({ token_id, reason: 'over' })
  const isOver = async () =>
    (await book.tokens.lineage({ token_id: ending })).tokens.every(({ state }) => state !== 'active')
  while (!(await isOver())) await new Promise(setImmediate)
})
afterAll(async () => {
  await book.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Answered {
  readonly envelope?: Answered
  readonly content?: readonly [{ readonly data: { readonly code?: string } }]
  readonly payload?: { readonly parts: readonly [{ readonly data: { readonly code?: string } }] }
}

/** A connection that presents that token, as the first thing it says. */
async function openWith(token: string): Promise<RawSocket> {
  const raw = await openRaw(socketOf(path))
  raw.socket.write(frameOf({ t: 'auth', token: bearers.get(token) ?? '' }))
  return raw
}

async function codeOf(raw: RawSocket, message: object): Promise<string | undefined> {
  const answer = (await raw.ask(message)) as Answered
  const { content, payload } = answer.envelope ?? answer
  return (content?.[0] ?? payload?.parts[0])?.data.code
}

const recordsOf = async () => (await book.stats()).kinds

describe.each([
  ['a message', bareMessage],
  ['an envelope', envelopeMessage],
  ['an envelope in its frame', (id: string) => ({ t: 'envelope', envelope: envelopeMessage(id) })],
] as const)('over the socket, %s', (_form, messageOf) => {
  it.each(['ended', 'revoked'])('is answered to nobody with a token that is %s', async (token) => {
    const before = await recordsOf()
    for (const [id] of askedFor.slice(0, 20)) {
      const raw = await openWith(token)
      raw.socket.write(frameOf(messageOf(id)))
      // The message may still be answered, with the same: the connection is over.
      const [first, ...more] = await raw.rest()
      expect([id, first]).toMatchObject([id, { t: 'error', error: { code: 'unauthorized' } }])
      expect(more.length).toBeLessThan(2)
      expect(JSON.stringify(more)).not.toContain('trace_id')
    }
    expect(await recordsOf()).toEqual(before)
  })

  it('needs the right of its verb, and is the owner’s alone where the table says so', async () => {
    const before = await recordsOf()
    for (const right of [...rights, 'owner'] as const) {
      const raw = await openWith(right === 'owner' ? 'wide' : `all but ${right}`)
      for (const [id, verb] of askedFor.filter((one) => rightOf(one[1]) === right))
        expect([id, verb, await codeOf(raw, messageOf(id))]).toEqual([id, verb, 'forbidden'])
      raw.socket.end()
    }
    const raw = await openWith('narrow')
    for (const [id] of askedFor) expect([id, await codeOf(raw, messageOf(id))]).toEqual([id, 'forbidden'])
    raw.socket.end()
    expect(await recordsOf()).toEqual(before)
  })
})
