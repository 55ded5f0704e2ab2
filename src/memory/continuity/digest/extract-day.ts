// The rules that write a day without a language model:
// - Decisions and discoveries: the persona's decisions, then its knowledge, each by importance, then by time; then
// memories that it proposed and the user approved.
// - Relationships: for each user who spoke, the number of messages and the most representative sentence; then records
// in a collection `People/…`.
// - Projects: records in a collection `Projects/…`; then, by domain, tasks that succeeded.
// - Open questions: a user's sentence that ends in a question mark, without a later agent message in that session on
// that day; tasks whose last trace of the day has no success; proposals that wait for their user.
// - Summary: at most five sentences of the records, the most representative of the day (`bestSentences`), in order.
// Invariant: every line names its records. The same records, sorted oldest first as `listRawRecords` returns them, give
// the same lines on every device.
import { contentWords, sentencesOf } from '../../../core/text/content-word.ts'
import { createLine, maxLinesPerSection, type DigestLine, type Sections } from './digest-line.ts'
import { compareRawRecords, compareTexts, type RawRecord } from './raw-record.ts'

const maxSummarySentences = 5
/** Two sentences that share more than this part of the words of the shorter one are duplicates. */
const duplicateThreshold = 0.6

/** Writes a day as lines. `day`: oldest first. `pendingLines`: lines about proposals that wait for the user. */
export function extract(day: readonly RawRecord[], pendingLines: readonly DigestLine[] = []): Sections {
  return {
    summary: summaryLines(day),
    decisions: decisionLines(day),
    relationships: relationshipLines(day),
    projects: projectLines(day),
    open_questions: fitSection([...openQuestionLines(day), ...pendingLines]),
  }
}

/** Returns the defined lines, as many as a section may have. */
const fitSection = (candidates: readonly (DigestLine | undefined)[]) =>
  candidates.filter((line) => line !== undefined).slice(0, maxLinesPerSection)

/** Most important first, then oldest first. */
const byImportance = (a: RawRecord, b: RawRecord) =>
  b.importance - a.importance || compareTexts(a.happenedAt, b.happenedAt)

function decisionLines(day: readonly RawRecord[]): DigestLine[] {
  const ofType = (type: string) => day.filter((record) => record.type === type).toSorted(byImportance)
  const approved = day.filter(({ kind }) => kind === 'memory')
  return fitSection(
    [...ofType('decision'), ...ofType('knowledge'), ...approved].map(({ id, text, collection }) =>
      createLine(text, [id], topicOf(collection)),
    ),
  )
}

/** Returns the name below `People/` or `Projects/` in a collection; undefined in another collection. */
const nameBelow = (collection: string, parentCollection: string) =>
  collection.startsWith(`${parentCollection}/`) ? collection.slice(parentCollection.length + 1) : undefined

const topicOf = (collection: string) => nameBelow(collection, 'Projects') ?? nameBelow(collection, 'People')

function relationshipLines(day: readonly RawRecord[]): DigestLine[] {
  const messagesByUser = groupByName(day.filter(isUserMessage), ({ name }) => name || 'the user')
  const userLines = messagesByUser.map(([name, messages]) => {
    const times = messages.length === 1 ? 'once' : `${messages.length} times`
    const [best] = bestSentences(messages, 1)
    const quoted = best === undefined ? '' : `: ${best.text}`
    const records = [...(best ? [best.id] : []), ...messages.map(({ id }) => id)]
    return createLine(`${name} spoke ${times}${quoted}`, records, name)
  })
  return fitSection([...userLines, ...collectionLines(day, 'People')])
}

function projectLines(day: readonly RawRecord[]): DigestLine[] {
  const doneTasks = day.filter(({ task }) => task?.isDone === true)
  const byDomain = groupByName(doneTasks, ({ task }) => task?.domain ?? '').map(([domain, traces]) => {
    const goals = [...new Set(traces.map(({ text }) => text))].join('; ')
    return createLine(
      `${domain}: ${goals}`,
      traces.map(({ id }) => id),
      domain,
    )
  })
  return fitSection([...collectionLines(day, 'Projects'), ...byDomain])
}

/** One line for each collection below `parentCollection`, from the day's records in it, the most important first. */
function collectionLines(day: readonly RawRecord[], parentCollection: string): (DigestLine | undefined)[] {
  const filed = day.filter(({ collection }) => nameBelow(collection, parentCollection) !== undefined)
  return groupByName(filed, ({ collection }) => nameBelow(collection, parentCollection) ?? '').map(
    ([name, members]) => {
      const sorted = members.toSorted(byImportance)
      return createLine(
        `${name}: ${sorted.map(({ text }) => text).join('; ')}`,
        sorted.map(({ id }) => id),
        name,
      )
    },
  )
}

const isUserMessage = ({ kind, speaker }: RawRecord) => kind === 'message' && speaker === 'User'
const isAgentMessage = ({ kind, speaker }: RawRecord) => kind === 'message' && speaker === 'Agent'
/** True for a sentence that ends in a question mark: Latin, full-width or Arabic. */
const isQuestion = (sentence: string) => /[?？؟]['"”’)»]*$/u.test(sentence)

function openQuestionLines(day: readonly RawRecord[]): DigestLine[] {
  const questions = day.filter(isUserMessage).flatMap((message) => {
    const isAnswered = day.some(
      (later) =>
        isAgentMessage(later) && later.session === message.session && compareRawRecords(later, message) > 0,
    )
    if (isAnswered) return []
    return sentencesOf(message.text)
      .filter(isQuestion)
      .map((text) => createLine(text, [message.id]))
  })
  const tracesByGoal = groupByName(
    day.filter(({ task }) => task !== undefined),
    ({ task }) => task?.goal ?? '',
  )
  const unfinished = tracesByGoal.map(([goal, traces]) => {
    const last = traces.at(-1)
    return last?.task?.isDone === false
      ? createLine(`Not done: ${goal}`, [last.id], last.task.domain)
      : undefined
  })
  return fitSection([...questions, ...unfinished])
}

/** Groups the records by name, in order of the first record of each. Records with an empty name are left out. */
function groupByName(
  day: readonly RawRecord[],
  nameOf: (record: RawRecord) => string,
): [name: string, members: RawRecord[]][] {
  const membersByName = new Map<string, RawRecord[]>()
  for (const record of day) {
    const name = nameOf(record)
    if (name !== '') membersByName.set(name, [...(membersByName.get(name) ?? []), record])
  }
  return [...membersByName]
}

interface Sentence {
  /** Id of its record. */
  readonly id: string
  readonly text: string
  /** Its content words. */
  readonly words: ReadonlySet<string>
  readonly importance: number
  /** Place among all sentences of the day. */
  readonly position: number
}

function summaryLines(day: readonly RawRecord[]): DigestLine[] {
  const recordById = new Map(day.map((record) => [record.id, record]))
  return fitSection(
    bestSentences(day, maxSummarySentences).map(({ id, text }) => {
      const { speaker: type = '', name = '' } = recordById.get(id) ?? {}
      const speaker = name || (type === 'User' || type === 'Agent' ? type : '')
      return createLine(speaker === '' ? text : `${speaker}: ${text}`, [id])
    }),
  )
}

/**
 * The most representative sentences of a day, in their order. A sentence scores by how often its words occur in the
 * day (each word counts once for each sentence), and by the importance of its record. A duplicate of a better
 * sentence is left out.
 */
function bestSentences(day: readonly RawRecord[], count: number): Sentence[] {
  const sentences: Sentence[] = day
    .flatMap(({ id, text, importance }) =>
      sentencesOf(text).map((sentence) => ({ id, text: sentence, importance })),
    )
    .map((sentence, position) => ({
      ...sentence,
      words: new Set(contentWords(sentence.text)),
      position,
    }))
  const frequency = new Map<string, number>()
  for (const { words } of sentences)
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const score = ({ words, importance }: Sentence) => {
    const shared = [...words].reduce((sum, word) => sum + Math.log(1 + (frequency.get(word) ?? 0)), 0)
    // The root lets longer sentences win, but not by length alone; the 3 holds back sentences of one or two words.
    return (shared / Math.sqrt(words.size + 3)) * (0.5 + importance)
  }
  const ranked = sentences
    .map((sentence) => ({ sentence, score: score(sentence) }))
    .toSorted((a, b) => b.score - a.score || a.sentence.position - b.sentence.position)
  const chosen: Sentence[] = []
  for (const { sentence } of ranked) {
    if (chosen.length >= count) break
    if (
      !chosen.some(
        (better) =>
          wordOverlap(better.words, sentence.words) > duplicateThreshold || better.text === sentence.text,
      )
    )
      chosen.push(sentence)
  }
  return chosen.toSorted((a, b) => a.position - b.position)
}

/** Share of the words of the shorter sentence that both sentences have. */
function wordOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const minSize = Math.min(a.size, b.size)
  if (minSize === 0) return 0
  return [...a].filter((word) => b.has(word)).length / minSize
}
