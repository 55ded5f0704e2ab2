// One entry of a transcript: what an agent did and what came of it, or what was said, with the bar of its time.
import type { Trace } from '../../../src/index.ts'
import { LineText } from './line-text.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/time.tsx'
import { type Message, messageKind, speakerOf } from '../../kind/message-kind.ts'
import { outcomeOf, traceKind } from '../../kind/trace-kind.ts'
import { address, go } from '../../state/address.ts'
import { focusDetail } from '../../state/act/focus.ts'
import type { Entry } from '../../state/run/transcript.ts'
import { type RunBar, type Branch, longDuration } from '../../wording/run-word.ts'
import { countWord, oneLine } from '../../wording/text-word.ts'

interface StepEntryProps {
  readonly entry: Entry
  readonly number: number
  readonly bar: RunBar | undefined
  readonly branch: Branch | undefined
}

export function StepEntry({ entry, number, bar, branch = { depth: 0, follows: undefined } }: StepEntryProps) {
  const isOpen = address.value.id === entry.id
  const isFailed = entry.kind === 'trace' && outcomeOf(entry as Trace) === 'failed'
  const open = () => {
    go({ id: entry.id })
    focusDetail()
  }
  return (
    <li
      class={`step depth-${branch.depth}${isOpen ? ' is-open' : ''}${isFailed ? ' is-failed' : ''}`}
      data-step={entry.id}
    >
      <div class="step-head">
        <span class="faint step-number">{countWord(number)}</span>
        <button
          type="button"
          class="step-title"
          dir="auto"
          aria-current={isOpen ? 'true' : undefined}
          onClick={open}
        >
          <Title entry={entry} />
        </button>
        <span class="faint step-time">
          <Time at={entry.timestamp} />
        </span>
      </div>
      {bar && entry.kind === 'trace' && <TimeBar bar={bar} isFailed={isFailed} />}
      {branch.follows !== undefined && (
        <p class="faint step-follows">follows step {countWord(branch.follows + 1)}</p>
      )}
      {entry.kind === 'trace' ? (
        <Done trace={entry as Trace} />
      ) : (
        <LineText text={(entry as Message).content} />
      )}
    </li>
  )
}

function Title({ entry }: { entry: Entry }) {
  if (entry.kind !== 'trace') {
    const message = entry as Message
    return (
      <>
        <Mark mark={messageKind.row(message).mark} /> {oneLine(speakerOf(message), 60)}
      </>
    )
  }
  const trace = entry as Trace
  const { mark, lead, rest } = traceKind.row(trace)
  return (
    <>
      <Mark mark={mark} word={mark !== 'succeeded'} /> <code>{lead}</code> {rest}
    </>
  )
}

/** A failed step says first what came of it. */
function Done({ trace }: { trace: Trace }) {
  const goal = <LineText text={trace.task.goal} />
  const said = resultText(trace)
  const result = said !== '' && (
    <div class="step-result">
      <LineText text={said} mono />
    </div>
  )
  return trace.result?.success === false ? (
    <>
      {result}
      {goal}
    </>
  ) : (
    <>
      {goal}
      {result}
    </>
  )
}

/** The one text of an outcome as it is; of several fields all, as JSON. */
function resultText({ result }: Trace): string {
  const outcome = result?.outcome ?? {}
  const fields = Object.entries(outcome).filter(([, value]) => value !== '' && value !== null)
  const texts = fields.filter(([name]) => ['observation', 'output', 'error', 'text'].includes(name))
  const [only] = texts
  if (only && texts.length === 1 && typeof only[1] === 'string') return only[1].trimEnd()
  return fields.length === 0 ? '' : JSON.stringify(Object.fromEntries(fields), null, 2)
}

const width = 1000
const least = 4

function TimeBar({ bar, isFailed }: { bar: RunBar; isFailed: boolean }) {
  const length = Math.max(least, bar.length * width)
  const from = Math.max(0, Math.min(width - length, bar.from * width))
  const classes = `waterfall-bar${bar.isMeasured ? '' : ' is-hollow'}${isFailed ? ' is-failed' : ''}`
  return (
    <div class="waterfall">
      <svg viewBox={`0 0 ${width} 10`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <path class="waterfall-line" d={`M0 5h${width}`} />
        <rect class={classes} x={from} y="1" width={length} height="8" />
      </svg>
      <span class="faint">
        {bar.isMeasured ? '' : '≤ '}
        {longDuration(bar.ms)}
        {isFailed && ' ✕'}
        <span class="hidden">{bar.isMeasured ? ' measured' : ' since the previous entry'}</span>
      </span>
    </div>
  )
}
