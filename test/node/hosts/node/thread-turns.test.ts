// Turns on the thread that all books of a process share.
import { expect, it } from 'vitest'
import { ThreadTurns } from '../../../../src/hosts/node/postgres/thread-turns.ts'

/** Computes as a long call does, without letting anybody else go. */
function compute(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('goes round the callers, whoever has more calls waiting', async () => {
  const turns = new ThreadTurns()
  const order: string[] = []
  const call = async (book: string, caller: string) => {
    await turns.take(book, caller)
    order.push(caller)
  }
  await Promise.all([
    ...Array.from({ length: 3 }, () => call('one', 'busy')),
    call('one', 'owner'),
    call('two', 'other'),
  ])
  expect(order).toEqual(['busy', 'owner', 'other', 'busy', 'busy'])
})

it('leaves the thread to others between two long calls, for as long as one took', async () => {
  const turns = new ThreadTurns()
  const ended: number[] = []
  const begun: number[] = []
  const long = async () => {
    await turns.take('one', 'busy')
    begun.push(performance.now())
    compute(60)
    ended.push(performance.now())
  }
  const first = long()
  const second = long()
  await first
  // Comes while the long ones rest, and waits for nobody.
  await new Promise((resolve) => setImmediate(resolve))
  await turns.take('two', 'other')
  expect(begun).toHaveLength(1)
  await second
  expect((begun[1] ?? 0) - (ended[0] ?? 0)).toBeGreaterThan(50)
})

it('does not shorten a rest by a shorter long call of another', async () => {
  const turns = new ThreadTurns()
  const take = async (caller: string, ms: number) => {
    await turns.take('one', caller)
    const begunMs = performance.now()
    compute(ms)
    return [begunMs, performance.now()]
  }
  const first = take('busy', 300)
  const second = take('busy', 0)
  const [, endedMs = 0] = await first
  await take('other', 25)
  const [begunMs = 0] = await second
  expect(begunMs - endedMs).toBeGreaterThan(290)
})

it('refuses a caller whose long calls pile up, and nobody else', async () => {
  const turns = new ThreadTurns()
  await turns.take('one', 'busy')
  compute(60)
  await new Promise((resolve) => setTimeout(resolve))
  const waiting = Array.from({ length: 64 }, () => turns.take('one', 'busy'))
  await expect(turns.take('one', 'busy')).rejects.toMatchObject({ code: 'rate-limited' })
  await turns.take('one', 'other')
  await Promise.all(waiting)
})
