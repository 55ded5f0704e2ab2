// Recall as the world was and as the book knew, over random histories of two devices with different clocks, compared
// with a naive model over the records as they are stored.
import { afterEach, expect, test } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import type { Carrier, Ports } from '../../../src/core/ports.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { runSeed } from '../../property/run-seed.ts'
import { createDice, type Dice } from '../../support/dice.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { closeSites, openSite } from '../memory/conversation/site.ts'

afterEach(closeSites)

const dayMs = 86_400_000
const months = Array.from({ length: 12 }, (_, i) => new Date(Date.UTC(2026, i, 15)).toISOString())

interface Row {
  readonly id: string
  readonly created_at: string
  readonly valid_from?: string
  readonly valid_until?: string
  readonly supersedes?: string
}
interface Times {
  readonly at?: string
  readonly knownAt?: string
}

/** The ids that recall must return: of the known records of a chain, the last one that has started by then. */
function expectedIds(rows: readonly Row[], { at, knownAt }: Times, now: string): string[] {
  const known = rows.filter(({ created_at: learnedAt }) => knownAt === undefined || learnedAt <= knownAt)
  const time = at ?? knownAt ?? now
  const hasStarted = ({ valid_from: from, created_at: learnedAt }: Row) =>
    (from ?? (at === undefined ? '' : learnedAt)) <= time
  const heirsOf = (id: string) => known.filter(({ supersedes }) => supersedes === id)
  const keyOf = (row: Row) => `${row.created_at} ${row.id}`
  /** The records that take its place, and the place of each that it supersedes. */
  const rivalsOf = (row: Row): Row[] => {
    const target = known.find(({ id }) => id === row.supersedes)
    const rivals = row.supersedes === undefined ? [] : heirsOf(row.supersedes)
    return [...rivals.filter((one) => keyOf(one) < keyOf(row)), ...(target ? rivalsOf(target) : [])]
  }
  const lineOf = ({ id }: Row): Row[] => {
    const heirs = heirsOf(id)
    return heirs.some((one) => rivalsOf(one).length === 0)
      ? heirs.flatMap((one) => [one, ...lineOf(one)])
      : []
  }
  return known
    .filter((row) => hasStarted(row) && (row.valid_until === undefined || row.valid_until > time))
    .filter((row) => ![...rivalsOf(row), ...lineOf(row)].some(hasStarted))
    .map(({ id }) => id)
    .sort()
}

/** Device `i` has a clock of its own. */
const withClock = (ports: Ports, offsetMs: number): Ports => ({
  ...ports,
  clock: { now: () => ports.clock.now() + offsetMs },
})

function openTwoDevices(dice: Dice) {
  const { ports, pass } = createTestTime(Date.UTC(2026, 0, 1))
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: edge.engine.store, ...ports })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const clocks = [ports, withClock(ports, (dice.below(21) - 10) * dayMs)]
  return { books: clocks.map((clock) => openSite(clock, { carrier }).book), clocks, pass }
}

const rowsOf = async (book: Daybook): Promise<Row[]> => {
  const everything = { includeExpired: true, includeSuperseded: true, limit: 1000 }
  return (await book.records.query(everything)).records as unknown as Row[]
}

const recalled = async (book: Daybook, times: Times) => {
  const question = { text: 'harbour', want: 'best', limit: 200, distinct: false } as const
  return (await book.recall({ ...question, ...times })).hits.map(({ record }) => record.id).sort()
}

/** Sometimes a begin and an end that follows it. */
function drawValidity(dice: Dice): object {
  const from = dice.below(11)
  const until = Math.min(11, from + 1 + dice.below(11))
  return {
    ...(dice.below(3) > 0 ? { valid_from: months[from] } : {}),
    ...(dice.below(4) === 0 ? { valid_until: months[until] ?? '' } : {}),
  }
}

async function step(book: Daybook, dice: Dice, n: number): Promise<string | undefined> {
  const validity = drawValidity(dice)
  const rows = await rowsOf(book)
  const some = rows[dice.below(Math.max(1, rows.length))]
  switch (dice.below(some ? 9 : 2)) {
    case 0:
      await book.perceptions.store({ content: `harbour note ${n}`, ...validity })
      return undefined
    case 8:
      await book.records.forget({ id: some?.id ?? '' })
      return some?.id
    case 1:
      await book.facts.store({ schema: 'place', data: { text: `harbour fact ${n}` }, ...validity })
      return undefined
    default:
      await supersede(book, some?.id ?? '', n, validity)
      return undefined
  }
}

/** Supersedes the last record of the chain of `id`. */
async function supersede(book: Daybook, id: string, n: number, validity: object): Promise<void> {
  try {
    await book.facts.supersede({ id, data: { text: `harbour change ${n}` }, ...validity })
  } catch (error) {
    if (!isDaybookError(error)) throw error
    const by = error.details['by']
    if (typeof by === 'string' && by !== id) await supersede(book, by, n, validity)
  }
}

const seeds = Array.from({ length: 25 }, (_, i) => runSeed + i)

test.each(seeds)('equals the model at every time, on two devices (seed %i)', async (seed) => {
  const dice = createDice(seed)
  const { books, clocks, pass } = openTwoDevices(dice)
  const forgotten = new Set<string>()
  const compare = async () => {
    for (const [i, book] of books.entries()) {
      const rows = await rowsOf(book)
      const now = new Date(clocks[i]?.clock.now() ?? 0).toISOString()
      const stored = rows.map((row) => row.created_at)
      const draw = (from: readonly string[]) => from[dice.below(from.length)]
      for (let n = 0; n < 6; n++) {
        const [at, knownAt] = [
          n % 2 === 0 ? undefined : draw(months),
          n % 3 === 0 ? undefined : draw([...months, ...stored]),
        ]
        const times = { ...(at ? { at } : {}), ...(knownAt ? { knownAt } : {}) }
        expect({ times, ids: await recalled(book, times) }).toEqual({
          times,
          ids: expectedIds(rows, times, now),
        })
      }
    }
  }
  for (let n = 0; n < 30; n++) {
    const book = books[dice.below(2)]
    if (!book) throw new Error('No such device.')
    const gone = await step(book, dice, n)
    if (gone !== undefined) forgotten.add(gone)
    if (dice.below(4) === 0) await book.sync()
    await pass(dice.below(20) * dayMs)
    if (n % 6 === 5) await compare()
  }
  for (let round = 0; round < 3; round++) for (const book of books) await book.sync()
  await compare()
  const [one, two] = await Promise.all(
    books.map((book) => recalled(book, { at: months[11] ?? '', knownAt: '2030-01-01' })),
  )
  expect(one).toEqual(two)
  expect(one?.filter((id) => forgotten.has(id))).toEqual([])
})

test('keeps a begin of one device and an end of the other, and a merged validity that ends first counts at no time', async () => {
  const { books, pass } = openTwoDevices(createDice(1))
  const [one, two] = books as [Daybook, Daybook]
  const { id } = await one.perceptions.store({ content: 'harbour note' })
  const { id: never } = await one.perceptions.store({ content: 'harbour wall' })
  for (const book of [one, two]) await book.sync()
  await one.perceptions.update({ id, updates: { valid_from: '2025-03-01' } })
  await two.perceptions.update({ id, updates: { valid_until: '2025-05-31' } })
  await one.perceptions.update({ id: never, updates: { valid_from: '2025-07-01' } })
  await two.perceptions.update({ id: never, updates: { valid_until: '2025-05-31' } })
  await pass(dayMs)
  for (const book of [one, two, one, two]) await book.sync()
  for (const book of [one, two]) {
    expect(await book.records.get({ id })).toMatchObject({
      valid_from: '2025-03-01T00:00:00.000Z',
      valid_until: '2025-05-31T23:59:59.999Z',
    })
    expect(await recalled(book, { at: '2025-04-01' })).toEqual([id])
    expect(await recalled(book, { at: '2025-07-02' })).toEqual([])
    expect(await recalled(book, {})).toEqual([])
    expect(await book.records.get({ id: never })).toMatchObject({ valid_from: '2025-07-01T00:00:00.000Z' })
  }
})
