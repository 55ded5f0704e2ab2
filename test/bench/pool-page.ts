// The page that measures the knowledge pool: one book of notes, asked before it is in a pool and after.
import { openDaybook } from '../../src/index.ts'
import { createTextSource } from './text-source.ts'

const batch = 250
/** As many have ever been heard of, and every fifth of them is there. */
const clawCount = 1000
const abilities = 8

export interface PoolTimes {
  readonly asked: string
  /** How many came, of the last question. */
  readonly found: number
  readonly ms: readonly number[]
}

export interface PoolFigure {
  readonly facts: number
  readonly claws: number
  readonly active: number
  readonly without: readonly PoolTimes[]
  readonly within: readonly PoolTimes[]
}

type Book = Awaited<ReturnType<typeof openDaybook>>

async function inBatches(size: number, one: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < size; from += batch)
    await Promise.all(Array.from({ length: Math.min(batch, size - from) }, (_, i) => one(from + i)))
}

/** What the notes and the facts say, and what is asked about them. */
interface Texts {
  readonly notes: readonly string[]
  readonly facts: readonly string[]
  readonly questions: readonly string[]
}

function createTexts(size: number, questions: number): Texts {
  const source = createTextSource(7)
  const notes = Array.from({ length: size }, () => source.text())
  const facts = Array.from({ length: size }, () => source.text())
  const asked = (n: number) => (n % 2 === 0 ? notes : facts)[(n * 7919) % size] ?? ''
  return { notes, facts, questions: Array.from({ length: questions }, (_, n) => source.question(asked(n))) }
}

const subject = (n: number) => `error E${n}`

/** Two agents confirm what the one of the book proposes. */
async function confirm(book: Book, { facts }: Texts): Promise<void> {
  const others = ['ada', 'bob'].map((agent) => book.with({ agent }))
  for (const one of others) await one.pool.announce({ capabilities: [] })
  const { promise, resolve } = Promise.withResolvers<void>()
  let confirmed = 0
  const stop = book.on('pool', ({ type }) => {
    if (type === 'fact') confirmed += 1
    if (confirmed >= facts.length) resolve()
  })
  await inBatches(facts.length, async (n) => {
    const object = facts[n] ?? ''
    const fact = { subject: subject(n), predicate: 'is mended by', object }
    const { proposal } = await book.pool.propose({ statement: object, tags: ['ops'], fact })
    await Promise.all(others.map((one) => one.pool.vote({ proposal, vote: 'yes' })))
  })
  await promise
  stop()
}

async function announce(book: Book, count: number): Promise<void> {
  const say = (n: number, type: string, payload: object) => {
    const timestamp = new Date().toISOString()
    const clawId = `claw-${n}@fleet`
    const head = { schemaVersion: 'v1', type, clawId, instanceId: `${clawId}#1`, timestamp, traceId: 'bench' }
    const body = { group: 'daybook', updatedAt: timestamp, ...payload }
    return book.pool.takeIn({ envelope: { ...head, idempotencyKey: `${type}:${n}`, payload: body } })
  }
  await inBatches(count, async (n) => {
    const capabilities = Array.from(
      { length: abilities },
      (_, i) => `db${(n + i) % 50}.read:orders,customers`,
    )
    await say(n, 'capabilities', { capabilities })
    if (n % 5 === 0) await say(n, 'presence', { status: 'active' })
  })
}

/** Each of them asks of something else every time, so that no answer can be kept. */
function asks(book: Book, { facts, questions }: Texts) {
  const text = (n: number) => questions[n % questions.length] ?? ''
  return {
    who_can: async (n: number) => (await book.pool.whoCan({ capability: `db${n % 50}.read:orders` })).claws,
    'facts of a subject': async (n: number) =>
      (await book.pool.facts({ subject: subject((n * 7919) % facts.length) })).facts,
    'facts, the last 20': async () => (await book.pool.facts({ limit: 20 })).facts,
    recall: async (n: number) => (await book.recall({ text: text(n), limit: 20 })).hits,
    context: async (n: number) => (await book.context({ text: text(n) })).items,
  } satisfies Readonly<Record<string, (n: number) => Promise<readonly unknown[]>>>
}

const settled = { everyMs: 250, quickMs: 8, atMost: 240 } as const

/** Words that are in most texts: quick to find from memory only. */
const common = 'water long little very'

/** A page is not told how far its worker is with its indexes: they are in memory when common words are found quickly. */
async function settle(book: Book): Promise<void> {
  for (let n = 0; n < settled.atMost; n++) {
    const from = performance.now()
    await book.recall({ text: common, limit: 20 })
    if (performance.now() - from <= settled.quickMs) return
    await new Promise((resolve) => setTimeout(resolve, settled.everyMs))
  }
}

async function times(book: Book, texts: Texts, rounds: number): Promise<PoolTimes[]> {
  const measured: PoolTimes[] = []
  await settle(book)
  for (const [asked, ask] of Object.entries(asks(book, texts))) {
    // What is indexed when it is first asked for is not part of it.
    let { length: found } = await ask(0)
    const ms: number[] = []
    for (let n = 1; n <= rounds; n++) {
      const from = performance.now()
      const answer = await ask(n)
      ms.push(performance.now() - from)
      found = answer.length
    }
    measured.push({ asked, found, ms })
  }
  return measured
}

export const bench = {
  /** Milliseconds of each question, of a book with `size` notes before and after as many facts were confirmed. */
  async pool(size: number, rounds: number): Promise<PoolFigure> {
    const book = await openDaybook({ name: `pool-${crypto.randomUUID()}`, agent: 'bench' })
    await book.pool.configure({ verify: 'off', admission: 'anyone' })
    const texts = createTexts(size, rounds + 1)
    await inBatches(size, (n) =>
      book.perceptions.store({ subject: subject(n), content: texts.notes[n] ?? '', confidence: 0.8 }),
    )
    const without = await times(book, texts, rounds)
    await confirm(book, texts)
    await announce(book, clawCount)
    const within = await times(book, texts, rounds)
    const { claws, active } = await book.pool.claws()
    await book.close()
    return { facts: size, claws: claws.length, active, without, within }
  },
}

export type PoolBench = typeof bench
