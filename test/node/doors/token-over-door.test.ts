// Every verb, over every door of this process, with a token that permits too little, has ended or was revoked: nothing is
// done, and the door says which it is. A door that comes is a line in `doors`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bookTable } from '../../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../../src/book/daybook.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import { createLocalDoor } from '../../../src/doors/local-door.ts'
import { answerMessages, connectBook, type ConnectOptions } from '../../../src/doors/message/message.ts'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { grant } from '../../contract/access/token-grant.ts'
import { verbRights } from '../../contract/access/verb-right.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { createTestTime } from '../../support/test-engine.ts'

interface OpenDoor extends Disposable {
  call(id: string, input: unknown): Promise<unknown>
}

/** How each door is opened for the holder of a token. */
const doors: Readonly<Record<string, (book: Daybook, as: string) => Promise<OpenDoor>>> = {
  'a handle': async (book, as) => {
    const handle = book.with({ as })
    return {
      call: (id, input) => handle.call(id, input as never),
      [Symbol.dispose]: () => void handle.close(),
    }
  },
  postMessage: async (book, as) => {
    const { port1, port2 } = new MessageChannel()
    const door = answerMessages(book, { as, from: port1 })
    const far = await connectBook({ to: port2 as unknown as ConnectOptions['to'] })
    return {
      call: (id, input) => far.call(id as never, input as never),
      [Symbol.dispose]() {
        far.close()
        door.close()
        port1.close()
      },
    }
  },
}

const verbs = capabilityTable.map(({ id }) => id)
const hour = 3_600_000
let book: Daybook
const tokens = { narrow: '', ended: '', revoked: '', wide: '' }

beforeAll(async () => {
  const { ports, pass } = createTestTime()
  const engine = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports,
    name: 'b',
    scope: { agent: 'owner' },
    durability: 'memory',
    keys: openNodeKeyring(undefined),
  })
  book = createDaybook(
    createLocalDoor(engine, ports.scheduler),
    bookTable(capabilityTable, kinds),
    globalThis,
  )
  const made = async (permissions: string[], expires_at?: string) =>
    (await grant(book, { permissions, ...(expires_at ? { expires_at } : {}) })).token.token_id
  // A word of the owner's permits no verb.
  tokens.narrow = await made(['evaluate'])
  tokens.wide = await made(['**'])
  tokens.revoked = await made(['**'])
  tokens.ended = await made(['**'], new Date(ports.clock.now() + hour).toISOString())
  await book.tokens.revoke({ token_id: tokens.revoked, reason: 'over' })
  await pass(2 * hour)
})
afterAll(() => book.close())

/** What each verb ends with, by the code. */
async function codesOf(door: OpenDoor, ids: readonly string[]): Promise<Record<string, string>> {
  const codes: Record<string, string> = {}
  for (const id of ids)
    codes[id] = await door.call(id, {}).then(
      () => 'done',
      (error: unknown) => (isDaybookError(error) ? error.code : String(error)),
    )
  return codes
}
const all = (ids: readonly string[], code: string) => Object.fromEntries(ids.map((id) => [id, code]))

describe.each(Object.entries(doors))('every verb over %s', (_name, openDoor) => {
  it.each([
    ['permits nothing', 'narrow', 'forbidden'],
    ['has ended', 'ended', 'unauthorized'],
    ['was revoked', 'revoked', 'unauthorized'],
  ] as const)('is refused with a token that %s', async (_what, token, code) => {
    const { kinds } = await book.stats()
    // A door to another window is closed as soon as the token is seen to have ended.
    const opened = await openDoor(book, tokens[token]).catch((error: unknown) => error as Error)
    if (isDaybookError(opened)) expect(opened.code).toBe('unauthorized')
    using door =
      opened instanceof Error ? { call: () => Promise.reject(opened), [Symbol.dispose]() {} } : opened
    expect(await codesOf(door, verbs)).toEqual(all(verbs, code))
    expect((await book.stats()).kinds).toEqual(kinds)
  })

  it('is the owner’s alone where the table says so, whatever a token permits', async () => {
    const owners = verbs.filter((id) => verbRights[id as keyof typeof verbRights] === 'owner')
    using door = await openDoor(book, tokens.wide)
    expect(owners.length).toBeGreaterThan(20)
    expect(await codesOf(door, owners)).toEqual(all(owners, 'forbidden'))
  })
})
