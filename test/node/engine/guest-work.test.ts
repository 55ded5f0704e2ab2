// How much work an answer to a guest takes tells nothing of what it may not see: counted, not timed.
import { afterEach, describe, expect, it } from 'vitest'
import { readReach } from '../../../src/core/access/reach.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

const hiddenRecords = 300
/** Of one length and one stem each: in hidden records only, and in none. */
const hidden = { word: 'zanzibar', beginning: 'zanzib', slip: 'zanzabar' }
const absent = { word: 'kilimanj', beginning: 'kilima', slip: 'kilamanj' }
const visible = 'harvest'

const open: TestEngine[] = []
afterEach(() => {
  for (const { engine } of open.splice(0)) engine.close()
})

/** A database that notes which statements it ran, and how many rows each gave. */
function counting(db: SqlDatabase) {
  const work: string[] = []
  const note = (sql: string, rows: number) => work.push(`${rows} rows: ${sql}`)
  const counted: SqlDatabase = {
    ...db,
    get(sql, params) {
      const row = db.get<never>(sql, params)
      note(sql, row === undefined ? 0 : 1)
      return row
    },
    all(sql, params) {
      const rows = db.all<never>(sql, params)
      note(sql, rows.length)
      return rows
    },
    run(sql, params) {
      db.run(sql, params)
      note(sql, 0)
    },
  }
  return { counted, take: () => work.splice(0) }
}

describe.each([
  { host: 'a device, words in memory', role: 'device' },
  { host: 'a mirror', role: 'mirror' },
] as const)('on $host', ({ role }) => {
  async function openBook() {
    const { counted, take } = counting(openNodeDatabase({ path: ':memory:' }))
    const book = openTestEngine({ db: counted, role, isAudited: false })
    open.push(book)
    const store = (goal: string, resource: string, id: string) =>
      book.engine.call('kstar:store_trace', makeTrace({ id, resource, task: { goal, constraints: [] } }))
    for (let i = 0; i < hiddenRecords; i++) await store(`trip to ${hidden.word} ${i}`, 'course:else', `h${i}`)
    for (let i = 0; i < 20; i++) await store(`${visible} of field ${i}`, 'course:here', `v${i}`)
    await book.pass(60_000)
    const reach = readReach({ scope: 'course:here' }) ?? expect.unreachable()
    const caller: Caller = {
      role: 'guest',
      token: 'claims',
      agent: 'helper',
      reach,
      permissions: ['read'],
      by: 'claims',
    }
    const ask = async (verb: string, input: object) => {
      take()
      const answer = await book.engine.call(verb, input, { caller }).then(
        (value) => JSON.stringify(value),
        (error: Error) => JSON.stringify(error),
      )
      return { work: take(), answer: answer.replaceAll(/"took":[\d.]+/g, '') }
    }
    // The words in reach are taken in by the first question, whatever it asks for.
    await ask('daybook:recall', { text: visible })
    return ask
  }

  const questions: readonly (readonly [string, string, (words: typeof hidden) => object])[] = [
    ['recall of a word', 'daybook:recall', ({ word }) => ({ text: word })],
    [
      'recall of a word beside one in reach',
      'daybook:recall',
      ({ word }) => ({ text: `${visible} ${word}` }),
    ],
    ['recall of the beginning of a word', 'daybook:recall', ({ beginning }) => ({ text: beginning })],
    ['recall of a misspelt word', 'daybook:recall', ({ slip }) => ({ text: slip })],
    ['context for a word', 'recall:context', ({ word }) => ({ text: word })],
    ['search for a word', 'kstar:search_traces', ({ word }) => ({ query: word })],
    ['search for a phrase', 'kstar:search_traces', ({ word }) => ({ query: `"trip to ${word}"` })],
    ['search for the beginning of a word', 'kstar:search_traces', ({ beginning }) => ({ query: beginning })],
    ['search in a field', 'kstar:search_traces', ({ word }) => ({ query: word, fields: ['task.goal'] })],
  ]

  it.each(questions)(
    'a %s that only hidden records have does the work of one that none has',
    async (_, verb, input) => {
      const ask = await openBook()
      // The first call reads what the book keeps in memory, such as the standing rules.
      await ask(verb, input({ word: visible, beginning: visible, slip: visible }))
      const one = await ask(verb, input(hidden))
      const other = await ask(verb, input(absent))
      expect(one.work).toEqual(other.work)
      expect(one.answer.replaceAll(hidden.word, '#')).toBe(other.answer.replaceAll(absent.word, '#'))
      expect(one.answer).not.toContain('"code"')
      expect(one.work.join('\n')).not.toMatch(/\btext_(?:index|words|places)\b/)
    },
  )

  it('answers for a hidden record in as many steps, and in the same words, as for one that is not there', async () => {
    const ask = await openBook()
    for (const verb of ['kstar:get_record', 'kstar:history', 'kstar:linked_traces']) {
      const one = await ask(verb, { id: 'h0' })
      const other = await ask(verb, { id: 'n0' })
      expect(one.work, verb).toEqual(other.work)
      expect(one.answer.replaceAll('h0', '#'), verb).toBe(other.answer.replaceAll('n0', '#'))
    }
  })

  it('follows what comes into reach and leaves it', async () => {
    const ask = await openBook()
    const book = open.at(-1) ?? expect.unreachable()
    const seen = async () => (await ask('daybook:recall', { text: 'quarry' })).answer.includes('"q"')
    const put = (resource: string) =>
      book.engine.call(
        'kstar:store_trace',
        makeTrace({ id: 'q', resource, task: { goal: 'the quarry', constraints: [] } }),
      )
    expect(await seen()).toBe(false)
    await put('course:here')
    expect(await seen()).toBe(true)
    await book.engine.call('kstar:forget', { id: 'q' })
    expect(await seen()).toBe(false)
  })
})
