// Equal quality: the golden corpus through Daybook and through search libraries that are given the same texts, and how far
// each library's ten best agree with the ten best by BM25 as FTS5 computes it.
import { create, insertMultiple, search as searchOrama } from '@orama/orama'
import MiniSearch from 'minisearch'
import type { RecallHit } from '../../src/core/capability/port/recall-port.ts'
import type { Daybook } from '../../src/book/daybook.ts'
import { defined } from '../../src/core/defined.ts'
import { kinds } from '../../src/engine/capability-table.ts'
import { dateWords, parseTime } from '../../src/core/time.ts'
import { openNodeDatabase } from '../../src/hosts/node/book/node-database.ts'
import { openDaybook } from '../../src/hosts/node/index.ts'
import { quoteOf } from '../../src/recall/pack.ts'
import { createTextSource } from '../bench/text-source.ts'
import { fillGolden, keyOf } from '../golden/corpus.ts'
import { heldOut } from '../golden/held-out.ts'
import { gradesOf, mean, ndcg, recallAt, reciprocalRank } from '../golden/measure.ts'
import { type GoldenQuestion, questions } from '../golden/question.ts'
import type { Figures } from '../golden/set-measure.ts'

interface Text {
  readonly key: string
  readonly text: string
}
/** Keys of the texts that are found, best first. */
type Find = (question: string) => string[] | Promise<string[]>
type Peer = (texts: readonly Text[]) => Find | Promise<Find>

const limit = 10
const pieceSize = 1000

/** As the bench asks them: any word may match, all else as it comes. */
export const peers: Readonly<Record<string, Peer>> = {
  'bare FTS5': (texts) => {
    const db = openNodeDatabase({ path: ':memory:' })
    db.exec("CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    db.transaction(() =>
      texts.forEach(({ text }, i) => db.run('INSERT INTO texts (rowid, text) VALUES (?, ?)', [i + 1, text])),
    )
    return (question) => {
      const words = question.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
      const expression = [...new Set(words)].map((word) => `"${word}"`).join(' OR ')
      if (expression === '') return []
      return db
        .all<{
          n: number
        }>('SELECT rowid AS n FROM texts WHERE texts MATCH ? ORDER BY rank, rowid DESC LIMIT ?', [
          expression,
          limit,
        ])
        .map(({ n }) => texts[n - 1]?.key ?? '')
    }
  },
  MiniSearch(texts) {
    const index = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] })
    index.addAll(texts.map(({ text }, id) => ({ id, text })))
    return (question) =>
      index
        .search(question, { combineWith: 'OR' })
        .slice(0, limit)
        .map(({ id }) => texts[Number(id)]?.key ?? '')
  },
  async Orama(texts) {
    const index = create({ schema: { text: 'string' } as const })
    await insertMultiple(
      index,
      texts.map(({ text }, i) => ({ id: `n${i}`, text })),
    )
    return async (term) => {
      const { hits } = await searchOrama(index, { term, threshold: 1, limit })
      return hits.map(({ id }) => texts[Number(id.slice(1))]?.key ?? '')
    }
  },
}

const openBook = () =>
  openDaybook({ name: 'eval-peers', agent: 'eval', path: ':memory:', embedder: { provider: 'none' } })

/** Figures of every searcher over the golden questions and over `size` texts of the bench. */
export async function evalPeers(
  size: number,
): Promise<Readonly<Record<string, Readonly<Record<string, Figures>>>>> {
  return { ...(await evalGoldenPeers()), ...(await evalAgreement(size)) }
}

/** What the index has of every record, under the key of the golden corpus or else its id. */
async function textsOf(book: Daybook): Promise<Text[]> {
  const texts: Text[] = []
  for (let cursor: string | undefined; ;) {
    const page = await book.records.query({
      limit: pieceSize,
      includeSuperseded: true,
      ...defined({ cursor }),
    })
    for (const record of page.records) {
      const { text, happenedAt } = quoteOf(kinds, record as never)
      const hit = { record } as unknown as RecallHit
      texts.push({ key: keyOf(hit), text: `${text} ${dateWords(parseTime(happenedAt) ?? 0)}` })
    }
    cursor = page.cursor
    if (cursor === undefined) return texts
  }
}

async function evalGoldenPeers() {
  const book = await openBook()
  await fillGolden(book)
  const texts = await textsOf(book)
  const finders: Record<string, Find> = {
    Daybook: async (text) => (await book.recall({ text, limit })).hits.map(keyOf),
  }
  for (const [name, open] of Object.entries(peers)) finders[name] = await open(texts)
  const sets = { fitted: questions, 'held out': heldOut }
  const figures: Record<string, Record<string, Figures>> = {}
  for (const [set, asked] of Object.entries(sets)) {
    const rows: Record<string, Figures> = (figures[`golden, ${set}`] = {})
    for (const [name, find] of Object.entries(finders)) rows[name] = await judge(asked, find)
  }
  await book.close()
  return figures
}

/** `stale`: of the questions for which some records must not come, the share for which one did. */
async function judge(asked: readonly GoldenQuestion[], find: Find): Promise<Figures> {
  const [judged, silent, stale]: [Parameters<typeof ndcg>[0][], number[], number[]] = [[], [], []]
  for (const { text, grades, never, of } of asked) {
    const found = await find(text)
    if (never !== undefined) stale.push(never.split(' ').some((key) => found.includes(key)) ? 1 : 0)
    if (of === 'nothing') silent.push(found.length === 0 ? 1 : 0)
    else if (grades !== '') judged.push({ found, grades: gradesOf(grades) })
  }
  return {
    'ndcg@10': mean(judged.map((one) => ndcg(one, 10))),
    'recall@5': mean(judged.map((one) => recallAt(one, 5))),
    'recall@10': mean(judged.map((one) => recallAt(one, 10))),
    mrr: mean(judged.map(reciprocalRank)),
    silent: mean(silent),
    stale: mean(stale),
  }
}

const seed = 11
const askedQuestions = 200

/** How many of the ten best by FTS5 each has among its own ten, and how often the first is the same. */
async function evalAgreement(size: number) {
  const { text } = createTextSource(seed)
  const goals = Array.from({ length: size }, text)
  const book = await openBook()
  for (let from = 0; from < size; from += pieceSize)
    await book.traces.storeMany({
      traces: goals.slice(from, from + pieceSize).map((goal, i) => ({
        id: `${from + i}`,
        situation: { domain: 'bench' },
        task: { goal },
        action: { type: 'note' },
      })),
    })
  // In the order in which they were stored, as Daybook orders what scores the same.
  const texts = (await textsOf(book)).sort((a, b) => Number(a.key) - Number(b.key))
  const finders: Record<string, Find> = {
    Daybook: async (query) => (await book.traces.search({ query, limit })).records.map(({ id }) => id),
  }
  for (const [name, open] of Object.entries(peers)) finders[name] = await open(texts)
  const { pick, question } = createTextSource(seed + 1)
  const asked = Array.from({ length: askedQuestions }, () => question(pick(goals)))
  const shares = new Map(
    Object.keys(finders).map((name) => [name, { shared: [] as number[], first: [] as number[] }]),
  )
  for (const one of asked) {
    const wanted = (await finders['bare FTS5']?.(one)) ?? []
    for (const [name, find] of Object.entries(finders)) {
      const found = await find(one)
      const row = shares.get(name)
      row?.shared.push(found.filter((key) => wanted.includes(key)).length / wanted.length)
      row?.first.push(found[0] === wanted[0] ? 1 : 0)
    }
  }
  await book.close()
  const rows = [...shares].map(([name, { shared, first }]): [string, Figures] => [
    name,
    { 'in the ten best': mean(shared), 'the best': mean(first) },
  ])
  return { [`agreement with BM25 by FTS5, ${size} texts`]: Object.fromEntries(rows) }
}
