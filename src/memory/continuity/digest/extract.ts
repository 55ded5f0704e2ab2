// The rules that write a day without a language model:
// - Decisions and discoveries: the persona's decisions, then its knowledge, each by importance, then by time; then
// memories that it proposed and the user approved.
// - Relationships: for each user who spoke, the number of messages and the most representative sentence; then records
// in a collection `People/…`.
// - Projects: records in a collection `Projects/…`; then, by domain, tasks that succeeded.
// - Open questions: a user's sentence that ends in a question mark, without a later agent message in that session on
// that day; tasks whose last trace of the day has no success; proposals that wait for their user.
// - Summary: at most five sentences of the records, the most representative of the day (`bestSentences`), in order.
// Invariant: the same records give the same lines in any order of input, and every line names its records.
import { contentWords, sentencesOf } from '../../../core/text/content-word.ts'
import { lineOf, partLimit, type Line, type Parts } from './line.ts'
import { compareRaw, type Raw } from './raw-record.ts'

const summarySentences = 5
/** Two sentences that share more than this part of the words of the shorter one are duplicates. */
const sameFrom = 0.6

/** Writes a day as lines. `waiting`: lines about proposals that wait for the user. */
export function extract(day: readonly Raw[], waiting: readonly Line[] = []): Parts {
  return {
    summary: summaryOf(day),
    decisions: decisionsOf(day),
    relationships: peopleIn(day),
    projects: projectsIn(day),
    open_questions: lines([...openIn(day), ...waiting]),
  }
}

const lines = (found: readonly (Line | undefined)[]) =>
  found.filter((one) => one !== undefined).slice(0, partLimit)

const byWeight = (a: Raw, b: Raw) => b.importance - a.importance || (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)

function decisionsOf(day: readonly Raw[]): Line[] {
  const of = (type: string) => day.filter((one) => one.type === type).toSorted(byWeight)
  const approved = day.filter(({ kind }) => kind === 'memory')
  return lines(
    [...of('decision'), ...of('knowledge'), ...approved].map(({ id, text, collection }) =>
      lineOf(text, [id], topicOf(collection)),
    ),
  )
}

/** Returns the name below `People/` or `Projects/` in a collection; undefined in another collection. */
const below = (collection: string, shelf: string) =>
  collection.startsWith(`${shelf}/`) ? collection.slice(shelf.length + 1) : undefined

const topicOf = (collection: string) => below(collection, 'Projects') ?? below(collection, 'People')

function peopleIn(day: readonly Raw[]): Line[] {
  const spoken = groups(day.filter(isUsers), ({ name }) => name || 'the user')
  const talks = spoken.map(([name, messages]) => {
    const times = messages.length === 1 ? 'once' : `${messages.length} times`
    const [best] = bestSentences(messages, 1)
    const quoted = best === undefined ? '' : `: ${best.text}`
    const records = [...(best ? [best.id] : []), ...messages.map(({ id }) => id)]
    return lineOf(`${name} spoke ${times}${quoted}`, records, name)
  })
  return lines([...talks, ...collected(day, 'People')])
}

function projectsIn(day: readonly Raw[]): Line[] {
  const done = day.filter(({ task }) => task?.isDone === true)
  const byDomain = groups(done, ({ task }) => task?.domain ?? '').map(([domain, traces]) => {
    const goals = [...new Set(traces.map(({ text }) => text))].join('; ')
    return lineOf(
      `${domain}: ${goals}`,
      traces.map(({ id }) => id),
      domain,
    )
  })
  return lines([...collected(day, 'Projects'), ...byDomain])
}

/** One line for each collection below `shelf`, from the day's records in it, the most important first. */
function collected(day: readonly Raw[], shelf: string): (Line | undefined)[] {
  const there = day.filter(({ collection }) => below(collection, shelf) !== undefined)
  return groups(there, ({ collection }) => below(collection, shelf) ?? '').map(([name, members]) => {
    const first = members.toSorted(byWeight)
    return lineOf(
      `${name}: ${first.map(({ text }) => text).join('; ')}`,
      first.map(({ id }) => id),
      name,
    )
  })
}

const isUsers = ({ kind, speaker }: Raw) => kind === 'message' && speaker === 'User'
const isAgents = ({ kind, speaker }: Raw) => kind === 'message' && speaker === 'Agent'
/** True for a sentence that ends in a question mark: Latin, full-width or Arabic. */
const asks = (sentence: string) => /[?？؟]['"”’)»]*$/u.test(sentence)

function openIn(day: readonly Raw[]): Line[] {
  const questions = day.filter(isUsers).flatMap((message) => {
    const isAnswered = day.some(
      (later) => isAgents(later) && later.session === message.session && compareRaw(later, message) > 0,
    )
    if (isAnswered) return []
    return sentencesOf(message.text)
      .filter(asks)
      .map((text) => lineOf(text, [message.id]))
  })
  const tried = groups(
    day.filter(({ task }) => task !== undefined),
    ({ task }) => task?.goal ?? '',
  )
  const open = tried.map(([goal, traces]) => {
    const last = traces.at(-1)
    return last?.task?.isDone === false ? lineOf(`Not done: ${goal}`, [last.id], last.task.domain) : undefined
  })
  return lines([...questions, ...open])
}

function groups(day: readonly Raw[], nameOf: (one: Raw) => string): [name: string, members: Raw[]][] {
  const found = new Map<string, Raw[]>()
  for (const one of day) {
    const name = nameOf(one)
    if (name !== '') found.set(name, [...(found.get(name) ?? []), one])
  }
  return [...found]
}

interface Sentence {
  readonly id: string
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly importance: number
  readonly place: number
}

function summaryOf(day: readonly Raw[]): Line[] {
  const named = new Map(day.map((one) => [one.id, one]))
  return lines(
    bestSentences(day, summarySentences).map(({ id, text }) => {
      const { speaker: type = '', name = '' } = named.get(id) ?? {}
      const speaker = name || (type === 'User' || type === 'Agent' ? type : '')
      return lineOf(speaker === '' ? text : `${speaker}: ${text}`, [id])
    }),
  )
}

/**
 * The most representative sentences of a day, in their order. A sentence scores by how often its words occur in the
 * day (each word counts once for each sentence), and by the importance of its record. A duplicate of a better
 * sentence is left out.
 */
function bestSentences(day: readonly Raw[], count: number): Sentence[] {
  const all: Sentence[] = day
    .flatMap(({ id, text, importance }) =>
      sentencesOf(text).map((sentence) => ({ id, text: sentence, importance })),
    )
    .map((one, place) => ({ ...one, words: new Set(contentWords(one.text)), place }))
  const times = new Map<string, number>()
  for (const { words } of all) for (const word of words) times.set(word, (times.get(word) ?? 0) + 1)
  const worth = ({ words, importance }: Sentence) => {
    const shared = [...words].reduce((sum, word) => sum + Math.log(1 + (times.get(word) ?? 0)), 0)
    return (shared / Math.sqrt(words.size + 3)) * (0.5 + importance)
  }
  const ranked = all
    .map((one) => ({ one, worth: worth(one) }))
    .toSorted((a, b) => b.worth - a.worth || a.one.place - b.one.place)
  const chosen: Sentence[] = []
  for (const { one } of ranked) {
    if (chosen.length >= count) break
    if (!chosen.some((better) => likeness(better.words, one.words) > sameFrom || better.text === one.text))
      chosen.push(one)
  }
  return chosen.toSorted((a, b) => a.place - b.place)
}

/** Share of the words of the shorter sentence that both sentences have. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const least = Math.min(one.size, other.size)
  if (least === 0) return 0
  return [...one].filter((word) => other.has(word)).length / least
}
