// The rules by which a day is told without a language model. All of them stand here:
//
// - Decisions and discoveries: the persona's decisions, then its knowledge, each the more important first, then the earlier; then
//   what it proposed to remember of the user and the user approved.
// - Relationships: each user who spoke, with how often, and what that user said that was most telling; then what lies in a
//   collection `People/…`.
// - Projects: what lies in a collection `Projects/…`; then, by domain, what was done and came out well.
// - Open questions: a user's sentence that ends in a question mark, after which no agent said anything in that session on that
//   day; tasks whose last trace of the day has no success; proposals that wait for their user.
// - Summary: at most five sentences of what was kept and said, the most telling of the day (`telling`), in their order.
//
// Invariant: the same records give the same lines, in whatever order they come, and every line names what it rests on.
import { contentWords } from '../../../core/text/content-word.ts'
import { sentencesOf } from '../../../core/text/sentence.ts'
import { lineOf, partLimit, type Line, type Parts } from './line.ts'
import { compareRaw, type Raw } from './raw-record.ts'

const summarySentences = 5
/** Two sentences that share more than this of their words say the same. */
const sameFrom = 0.6

/** A day in lines; `waiting` are those of what waits for the user. */
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

/** The name below `People/` or `Projects/`: what such a collection is about. */
const below = (collection: string, shelf: string) =>
  collection.startsWith(`${shelf}/`) ? collection.slice(shelf.length + 1) : undefined

const topicOf = (collection: string) => below(collection, 'Projects') ?? below(collection, 'People')

function peopleIn(day: readonly Raw[]): Line[] {
  const spoken = groups(day.filter(isUsers), ({ name }) => name || 'the user')
  const talks = spoken.map(([name, said]) => {
    const times = said.length === 1 ? 'once' : `${said.length} times`
    const [best] = telling(said, 1)
    const quoted = best === undefined ? '' : `: ${best.text}`
    const records = [...(best ? [best.id] : []), ...said.map(({ id }) => id)]
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

/** One line for each collection below `shelf`: what lies there of the day, the most important first. */
function collected(day: readonly Raw[], shelf: string): (Line | undefined)[] {
  const there = day.filter(({ collection }) => below(collection, shelf) !== undefined)
  return groups(there, ({ collection }) => below(collection, shelf) ?? '').map(([name, held]) => {
    const first = held.toSorted(byWeight)
    return lineOf(
      `${name}: ${first.map(({ text }) => text).join('; ')}`,
      first.map(({ id }) => id),
      name,
    )
  })
}

const isUsers = ({ kind, speaker }: Raw) => kind === 'message' && speaker === 'User'
const isAgents = ({ kind, speaker }: Raw) => kind === 'message' && speaker === 'Agent'
/** In any script. */
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

function groups(day: readonly Raw[], nameOf: (one: Raw) => string): [name: string, held: Raw[]][] {
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
    telling(day, summarySentences).map(({ id, text }) => {
      const { speaker = '', name = '' } = named.get(id) ?? {}
      const who = name || (speaker === 'User' ? 'User' : speaker === 'Agent' ? 'Agent' : '')
      return lineOf(who === '' ? text : `${who}: ${text}`, [id])
    }),
  )
}

/**
 * The most telling sentences, in their order: those whose words come back in most of the others (each word counts once for
 * each sentence that has it), times how important their record is, and none that says what a better one says.
 */
function telling(day: readonly Raw[], count: number): Sentence[] {
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

/** The share of the words of the shorter one that both have. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const least = Math.min(one.size, other.size)
  if (least === 0) return 0
  return [...one].filter((word) => other.has(word)).length / least
}
