// Tickets to lines: worth nothing once their caller has ended, and nobody's are in the way of another's.
import { expect, it } from 'vitest'

export interface TicketHost {
  run(book: string, id: string, input: object): Promise<{ readonly id?: string; readonly key?: string }>
  /** Asks for a ticket; the name of the device is its own. */
  ticket(
    book: string,
    bearer: string | undefined,
  ): Promise<{ readonly status: number; readonly ticket: string }>
  /** Shows a ticket; answers the status of the upgrade. */
  show(book: string, ticket: string): Promise<number>
}

/** As many tickets as one caller may have, and as many as there are of one book. */
const [ofCaller, ofBook] = [100, 1000]
const atOnce = 20

export function ticketCases({ run, ticket, show }: TicketHost): void {
  const makeKey = async (book: string, input: object = { permissions: ['sync'] }) => {
    const { id = '', key = '' } = await run(book, 'daybook:create_access_key', { name: 'key', ...input })
    return { id, key }
  }
  /** Asks for `count` tickets; answers how many were given. */
  const flood = async (book: string, bearer: string | undefined, count: number) => {
    let given = 0
    for (let asked = 0; asked < count; asked += atOnce) {
      const size = Math.min(atOnce, count - asked)
      const answers = await Promise.all(Array.from({ length: size }, () => ticket(book, bearer)))
      for (const { status } of answers) expect([200, 429]).toContain(status)
      given += answers.filter(({ status }) => status === 200).length
    }
    return given
  }

  it('O1 open nothing once the key that they were given to is revoked', async () => {
    const book = 'ticket-revoked'
    for (const input of [{ permissions: ['sync'] }, { owner: true }]) {
      const [gone, stays] = [await makeKey(book, input), await makeKey(book, input)]
      const [first, second, other] = [
        await ticket(book, gone.key),
        await ticket(book, gone.key),
        await ticket(book, stays.key),
      ]
      expect(await show(book, first.ticket)).toBe(101)
      await run(book, 'daybook:revoke_access_key', { id: gone.id })
      expect(await show(book, second.ticket)).toBe(401)
      expect(await show(book, other.ticket)).toBe(101)
    }
  })

  it('O1 are counted by caller: one who asks for many is refused, and nobody else', async () => {
    const book = 'ticket-flood'
    const [greedy, modest] = [await makeKey(book), await makeKey(book)]
    expect(await flood(book, greedy.key, ofCaller + 50)).toBe(ofCaller)
    for (const bearer of [modest.key, undefined]) {
      const given = await ticket(book, bearer)
      expect(given.status).toBe(200)
      expect(await show(book, given.ticket)).toBe(101)
    }
  })

  it('O1 are never too many for one more caller', async () => {
    const book = 'ticket-many'
    const modest = await makeKey(book)
    const waiting = await ticket(book, modest.key)
    for (let i = 0; i < ofBook / ofCaller; i++)
      expect(await flood(book, (await makeKey(book)).key, ofCaller)).toBe(ofCaller)
    const given = await ticket(book, modest.key)
    expect(given.status).toBe(200)
    expect(await show(book, given.ticket)).toBe(101)
    // The oldest that nobody has shown has made room.
    expect(await show(book, waiting.ticket)).toBe(401)
  })
}
