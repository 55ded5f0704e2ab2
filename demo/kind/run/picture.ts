// A run as a picture: its steps as rows of a tree, with their bars on the time line, and the sums over all of them.
// Invariant: it has only text of the entries that it gets, so masked entries make a masked picture.
import type { Trace } from '../../../src/index.ts'
import { hasTimes, isNumberOrUsage, stepCost, stepMs, stepTokens } from '../../wording/run-word.ts'
import { oneLine, valueLine } from '../../wording/text-word.ts'
import type { MarkName } from '../mark.ts'
import { type Message, messageKind } from '../message-kind.ts'
import type { Sensitivity } from '../record-kind.ts'
import { outcomeOf, traceError } from '../trace-kind.ts'
import { sumOfKnown, type ToolShare, toolShares } from './run-figure.ts'
import { type StepBar, type TimeLine, timeLineOf } from './time-line.ts'
import { type TreeRow, treeOf } from './run-tree.ts'

export type Entry = Trace | Message

export interface RunStep {
  readonly id: string
  readonly entry: Entry
  readonly mark: MarkName
  /** The action of a trace, or the speaker of a message. */
  readonly lead: string
  /** First words of the error or result, of the goal without one; or of the message. */
  readonly words: string
  readonly isFailed: boolean
  readonly tool: string | undefined
  readonly tokens: number | undefined
  readonly cost: number | undefined
  readonly sensitivity: Sensitivity | undefined
}

export interface PictureRow extends TreeRow {
  readonly step: RunStep
  readonly bar: StepBar
  /** The agent, where another one takes over. */
  readonly agent: string | undefined
}

export interface Picture {
  /** The goal of the first step, else the first message, in one line. */
  readonly name: string
  readonly rows: readonly PictureRow[]
  readonly line: TimeLine
  readonly hasTimes: boolean
  /** The time that something ran, as far as it is known. */
  readonly workMs: number | undefined
  readonly tools: readonly ToolShare[]
  /** The shares are of time; else of steps. */
  readonly isTimed: boolean
  readonly tokens: number | undefined
  readonly cost: number | undefined
  readonly agents: readonly string[]
}

/** `entries`: in the order of time. */
export function pictureOf(session: string, entries: readonly Entry[]): Picture {
  const steps = entries.map((entry) => stepOf(entry))
  const isDated = hasTimes(session)
  const times = entries.map((entry) => ({
    endMs: Date.parse(entry.timestamp),
    ms: isTrace(entry) ? stepMs(entry) : 0,
  }))
  const line = timeLineOf(times, isDated)
  const { isTimed, tools } = toolShares(steps, line.bars)
  let agent = entries[0]?.agent
  const rows = treeOf(entries).flatMap((row): PictureRow[] => {
    const step = steps[row.place]
    const bar = line.bars[row.place]
    if (!step || !bar) return []
    const isOther = step.entry.agent !== agent
    agent = step.entry.agent
    return [{ ...row, step, bar, agent: isOther ? agent : undefined }]
  })
  return {
    name: nameOf(entries),
    rows,
    line,
    hasTimes: isDated,
    workMs: sumOfKnown(times.map(({ ms }, i) => (steps[i]?.tool === undefined ? undefined : ms))),
    tools,
    isTimed,
    tokens: sumOfKnown(steps.map(({ tokens }) => tokens)),
    cost: sumOfKnown(steps.map(({ cost }) => cost)),
    agents: [...new Set(entries.map((one) => one.agent))],
  }
}

const nameLength = 160

function nameOf(entries: readonly Entry[]): string {
  const first = entries.find(isTrace) ?? entries[0]
  if (!first) return ''
  return oneLine(isTrace(first) ? first.task.goal : first.content, nameLength)
}

const isTrace = (entry: Entry): entry is Trace => entry.kind === 'trace'

const wordsLength = 240
const toolLength = 60

const made = new WeakMap<Entry, RunStep>()

function stepOf(entry: Entry): RunStep {
  const step = made.get(entry) ?? makeStep(entry)
  made.set(entry, step)
  return step
}

function makeStep(entry: Entry): RunStep {
  const head = { id: entry.id, entry, sensitivity: entry.sensitivity }
  if (!isTrace(entry)) {
    const { mark, lead, title } = messageKind.row(entry)
    return {
      ...head,
      mark,
      lead,
      words: title,
      isFailed: false,
      tool: undefined,
      tokens: undefined,
      cost: undefined,
    }
  }
  const mark = outcomeOf(entry)
  const tool = oneLine(entry.action.type, toolLength)
  return {
    ...head,
    mark,
    lead: tool,
    words: traceError(entry) ?? (resultWords(entry) || oneLine(entry.task.goal, wordsLength)),
    isFailed: mark === 'failed',
    tool,
    tokens: stepTokens(entry),
    cost: stepCost(entry),
  }
}

const textFields = ['observation', 'output', 'text', 'message', 'error'] as const

function resultWords({ result }: Trace): string {
  const outcome = result?.outcome ?? {}
  const text = textFields.map((name) => outcome[name]).find((one) => typeof one === 'string' && one.trim())
  if (typeof text === 'string') return oneLine(text, wordsLength)
  const first = Object.entries(outcome).find((field) => !isNumberOrUsage(field))
  return first ? valueLine(first[1], wordsLength) : ''
}

const searched = new WeakMap<Entry, string>()

/** Whether the entry has the text, in any field. */
export function hasText(entry: Entry, lowerText: string): boolean {
  const text = searched.get(entry) ?? textsOf(entry).join('\n').toLowerCase()
  searched.set(entry, text)
  return text.includes(lowerText)
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
