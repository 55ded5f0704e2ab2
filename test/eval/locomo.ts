// LoCoMo: long conversations and questions about them, with the turns that hold the evidence. One book for each
// conversation, one message for each turn; the session's date is the turn's time.
import { readFile } from 'node:fs/promises'
import { coverage, mean, orderOfPairs } from '../golden/measure.ts'
import type { Figures } from '../golden/set-measure.ts'
import type { EvalBook } from './eval-book.ts'

interface Turn {
  readonly speaker: string
  readonly dia_id: string
  readonly text?: string
  readonly blip_caption?: string
}
interface Conversation {
  readonly sample_id?: string
  readonly conversation: Readonly<Record<string, unknown>>
  readonly qa: readonly { question: string; evidence?: readonly string[]; category?: number }[]
}

/** Turn ids in the evidence strings: some hold several, some are malformed (`D:11:26`), some are none (`D`). */
export function evidenceIds(evidence: readonly string[] | undefined): string[] {
  const ids = (evidence ?? []).flatMap((text) => text.match(/D:?\d+:\d+/g) ?? [])
  return [...new Set(ids.map((id) => id.replace(/^D:/, 'D').replace(/:0*(\d+)$/, ':$1')))]
}

/** `1:56 pm on 8 May, 2023` as an instant; undefined when it is not written so. */
export function sessionTime(text: unknown): number | undefined {
  const match = /^\s*(\d+):(\d+)\s*(am|pm)\s+on\s+(\d+)\s+(\w+),?\s+(\d{4})/i.exec(String(text))
  if (!match) return undefined
  const [, hour, minute, half, day, month, year] = match
  const ms = Date.parse(`${day ?? ''} ${month ?? ''} ${year ?? ''} 00:00 UTC`)
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)
  return Number.isNaN(ms) ? undefined : ms + hours * 3_600_000 + Number(minute) * 60_000
}

interface Answered {
  readonly question: string
  readonly category: number
  readonly evidence: readonly string[]
  /** Turn ids, best first. */
  readonly found: readonly string[]
  /** The 40 of a whole answer, else the first of `found`. */
  readonly whole: readonly string[]
  /** The ten of an order, in its order; empty for other questions. */
  readonly ordered: readonly string[]
}

export async function evalLocomo(
  path: string,
  open: () => Promise<EvalBook>,
): Promise<Readonly<Record<string, Figures>>> {
  const samples = JSON.parse(await readFile(path, 'utf8')) as readonly Conversation[]
  const answered: Answered[] = []
  for (const { conversation, qa } of samples) {
    const one = await open()
    const known = await fill(one, conversation)
    await one.ready()
    for (const { question, evidence, category = 0 } of qa) {
      const ids = evidenceIds(evidence).filter((id) => known.has(id))
      if (ids.length === 0) continue
      const ask = async (limit: number) => {
        const query = { text: question, kinds: ['message'], limit, distinct: false } as const
        const { hits, want } = await one.recall(query)
        return { found: hits.map(({ record }) => String(record['msg_id'])), want }
      }
      const { found, want } = await ask(50)
      answered.push({
        question,
        category,
        evidence: ids,
        found,
        // A whole answer is in an order of its own, so its first 40 of 50 are not the best 40.
        whole: want === 'best' ? found : (await ask(40)).found,
        ordered: isAboutOrder(question) ? (await ask(10)).found : [],
      })
    }
    await one.close()
  }
  const categories = [...new Set(answered.map(({ category }) => category))].sort()
  const of = (some: readonly Answered[]) => ({
    ...turnFigures(some),
    ...orderFigures(some),
    questions: some.length,
  })
  return {
    turn: of(answered),
    'turn, categories 1 to 4': of(answered.filter(({ category }) => category >= 1 && category <= 4)),
    ...Object.fromEntries(
      categories.map((category) => [
        `turn, category ${category}`,
        of(answered.filter((one) => one.category === category)),
      ]),
    ),
    session: sessionFigures(answered),
    'session, categories 1 to 4': sessionFigures(
      answered.filter(({ category }) => category >= 1 && category <= 4),
    ),
  }
}

/** Stores the turns; answers their ids. */
async function fill({ book }: EvalBook, conversation: Conversation['conversation']): Promise<Set<string>> {
  const known = new Set<string>()
  for (const [session, turns] of Object.entries(conversation)) {
    if (!/^session_\d+$/.test(session) || !Array.isArray(turns)) continue
    const began = sessionTime(conversation[`${session}_date_time`]) ?? 0
    const messages = (turns as readonly Turn[]).map(
      ({ speaker, dia_id: id, text, blip_caption: caption }, i) => {
        known.add(id)
        return {
          id,
          content: [text, caption].filter((part) => part).join(' ') || speaker,
          source: { type: 'User', name: speaker },
          timestamp: new Date(began + i * 1000).toISOString(),
        }
      },
    )
    for (let from = 0; from < messages.length; from += 1000)
      await book.conversation.storeMany({ session, messages: messages.slice(from, from + 1000) })
  }
  return known
}

const sessionOf = (id: string) => id.split(':')[0] ?? id
const share = (wanted: readonly string[], found: readonly string[], k: number) =>
  wanted.filter((id) => found.slice(0, k).includes(id)).length / wanted.length

function turnFigures(answered: readonly Answered[]): Figures {
  const recall = (k: number) => mean(answered.map(({ evidence, found }) => share(evidence, found, k)))
  return {
    'recall@5': recall(5),
    'recall@10': recall(10),
    'recall@25': recall(25),
    'recall@50': recall(50),
    'all@40': mean(answered.map(({ evidence, whole }) => (coverage(evidence, whole, 40) === 1 ? 1 : 0))),
    'any@5': mean(answered.map(({ evidence, found }) => (share(evidence, found, 5) > 0 ? 1 : 0))),
    'ndcg@10': mean(answered.map(({ evidence, found }) => binaryNdcg(evidence, found, 10))),
    mrr: mean(
      answered.map(({ evidence, found }) => {
        const at = found.findIndex((id) => evidence.includes(id))
        return at < 0 ? 0 : 1 / (at + 1)
      }),
    ),
  }
}

/** Matches a question about the order of events. */
const asksForOrder =
  /\b(?:order|sequence|chronolog\w*)\b|\bfirst\b.*\b(?:or|then|after|before|last)\b|\b(?:before|after) or (?:before|after)\b/i

export const isAboutOrder = (question: string): boolean => asksForOrder.test(question)

/** Of the pairs of evidence, the share among the first 10 with earlier before later. Nothing if no question is about order. */
function orderFigures(answered: readonly Answered[]): Figures {
  const asked = answered.filter(({ question, evidence }) => evidence.length > 1 && isAboutOrder(question))
  if (asked.length === 0) return {}
  return {
    'order@10': mean(asked.map(({ evidence, ordered }) => orderOfPairs(inTime(evidence), ordered, 10))),
    'questions of order': asked.length,
  }
}

/** Turn ids, earliest first: `D2:3` is turn 3 of session 2. */
function inTime(ids: readonly string[]): readonly string[] {
  const placeOf = (id: string) => id.slice(1).split(':').map(Number)
  return [...ids].sort((a, b) => {
    const [one = 0, first = 0] = placeOf(a)
    const [two = 0, second = 0] = placeOf(b)
    return one - two || first - second
  })
}

/** A session ranks by the best of its turns. */
function sessionFigures(answered: readonly Answered[]): Figures {
  const sessions = answered.map(({ evidence, found }) => ({
    wanted: [...new Set(evidence.map(sessionOf))],
    ranked: [...new Set(found.map(sessionOf))],
  }))
  return {
    'recall@5': mean(sessions.map(({ wanted, ranked }) => share(wanted, ranked, 5))),
    'recall@10': mean(sessions.map(({ wanted, ranked }) => share(wanted, ranked, 10))),
    'all@5': mean(sessions.map(({ wanted, ranked }) => (share(wanted, ranked, 5) === 1 ? 1 : 0))),
  }
}

function binaryNdcg(wanted: readonly string[], found: readonly string[], k: number): number {
  const at = (i: number) => 1 / Math.log2(i + 2)
  const best = wanted.slice(0, k).reduce((sum, _, i) => sum + at(i), 0)
  return found.slice(0, k).reduce((sum, id, i) => (wanted.includes(id) ? sum + at(i) : sum), 0) / best
}
