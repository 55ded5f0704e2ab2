// Two runs side by side: their totals and differences, and their steps in pairs.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect } from 'preact/hooks'
import { type Difference, mostAligned, type StepPair, toolCalls } from '../../kind/run/align-run.ts'
import type { Picture, RunStep } from '../../kind/run/picture.ts'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon, KeyCap } from '../../parts/inline.tsx'
import { Mark, MarkSigns } from '../../parts/mark.tsx'
import { LogTable } from '../../parts/table.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { listElement } from '../../state/act/focus.ts'
import { viewKeys } from '../../state/act/view-key.ts'
import {
  compareByKey,
  loadOther,
  openPair,
  otherFailure,
  otherPicture,
  otherRun,
  pairCursor,
  pairs,
  pairScroll,
  toDifference,
} from '../../state/run/compare-run.ts'
import type { Run } from '../../state/run/run-list.ts'
import { compareRun, openRun } from '../../state/run/run-place.ts'
import {
  loadTranscript,
  picture,
  transcript,
  transcriptFailure,
  type Transcript,
} from '../../state/run/transcript.ts'
import { costWord, longDuration } from '../../wording/run-word.ts'
import { countOf, countWord } from '../../wording/text-word.ts'
import { RunOutcome } from './run-head.tsx'

export function CompareView() {
  useEffect(() => {
    viewKeys.act = compareByKey
    return () => (viewKeys.act = undefined)
  }, [])
  return (
    <div class="panes run-alone">
      <section class="pane list-pane run-pane compare" aria-labelledby="compare-title">
        <header class="run-head">
          <p class="run-back">
            <button type="button" class="link" onClick={() => compareRun(undefined)}>
              <Icon name="back" size={12} /> Back to the run
            </button>
          </p>
          <h1 id="compare-title">Two runs side by side</h1>
        </header>
        <ErrorNotice
          title="The run could not be read."
          error={transcriptFailure.value}
          retry={loadTranscript}
        />
        <ErrorNotice title="The other run could not be read." error={otherFailure.value} retry={loadOther} />
        <Compared />
      </section>
    </div>
  )
}

function Compared() {
  const [one, other] = [transcript.value, otherRun.value]
  const [first, second] = [picture.value, otherPicture.value]
  if (!one || !other || !first || !second) return <div class="list-wait" aria-busy="true" />
  if (!one.run || !other.run)
    return (
      <EmptyNote title={`The ${one.run ? 'second' : 'first'} run is not in this book.`}>
        <p>Its records were deleted, or they were stored on another device and have not been synced yet.</p>
        <p>
          <bdi>{one.run ? other.session : one.session}</bdi>
        </p>
      </EmptyNote>
    )
  return (
    <>
      <div class="run-head">
        <Totals first={{ run: one.run, picture: first }} second={{ run: other.run, picture: second }} />
        <Notes one={one} other={other} />
        {pairs.value && <Summary isSame={one.session === other.session} />}
      </div>
      {pairs.value ? <Pairs /> : <div class="list-wait" aria-busy="true" />}
    </>
  )
}

interface Side {
  readonly run: Run
  readonly picture: Picture
}

function Totals({ first, second }: { first: Side; second: Side }) {
  const rows = [
    figure('Steps', [first.run.steps, second.run.steps]),
    figure('Failed steps', [first.run.failed, second.run.failed]),
    figure('Messages', messagesOf(first, second)),
    figure('Duration', [durationOf(first), durationOf(second)], longDuration),
    figure('Tokens', [first.picture.tokens, second.picture.tokens]),
    figure('Cost', [first.picture.cost, second.picture.cost], costWord),
    ...toolCalls(first.picture.tools, second.picture.tools).map((calls) =>
      figure(<>Calls of {<code>{calls.tool}</code>}</>, [calls.first, calls.second]),
    ),
  ].filter((one) => one !== undefined)
  return (
    <LogTable
      label="Totals of both runs"
      look="compare-totals"
      heads={[
        'Total',
        <RunHead key="1" side={first} nth="First" />,
        <RunHead key="2" side={second} nth="Second" />,
        'Difference',
      ]}
    >
      <tr>
        <th scope="row">Outcome</th>
        <td>
          <RunOutcome outcome={first.run.outcome} />
        </td>
        <td>
          <RunOutcome outcome={second.run.outcome} />
        </td>
        <td>{first.run.outcome === second.run.outcome ? <span class="faint">same</span> : 'differs'}</td>
      </tr>
      {rows.map(({ name, first: a, second: b, difference }, i) => (
        <tr key={i}>
          <th scope="row">{name}</th>
          <td class="run-number">{a}</td>
          <td class="run-number">{b}</td>
          <td class="run-number">{difference}</td>
        </tr>
      ))}
    </LogTable>
  )
}

/** Runs of steps alone have no row of messages. */
const messagesOf = ({ run: { messages: a } }: Side, { run: { messages: b } }: Side): Two =>
  a + b === 0 ? [undefined, undefined] : [a, b]

const durationOf = ({ run, picture: { hasTimes, workMs } }: Side) => (hasTimes ? run.durationMs : workMs)

function RunHead({ side: { run, picture: drawn }, nth }: { side: Side; nth: string }) {
  return (
    <th scope="col" class="compare-run">
      {nth}:{' '}
      <button type="button" class="link" dir="auto" onClick={() => openRun(run.session)}>
        {drawn.name || run.session}
      </button>{' '}
      <bdi class="faint run-session">{run.session}</bdi>
    </th>
  )
}

interface Figure {
  readonly name: ComponentChildren
  readonly first: ComponentChildren
  readonly second: ComponentChildren
  readonly difference: ComponentChildren
}

type Two = readonly [number | undefined, number | undefined]

function figure(
  name: ComponentChildren,
  [a, b]: Two,
  word: (value: number) => string = countWord,
): Figure | undefined {
  if (a === undefined && b === undefined) return undefined
  const shown = (value: number | undefined) =>
    value === undefined ? <span class="faint">not recorded</span> : word(value)
  return { name, first: shown(a), second: shown(b), difference: changeOf(a, b, word) }
}

function changeOf(a: number | undefined, b: number | undefined, word: (value: number) => string) {
  if (a === undefined || b === undefined) return ''
  if (a === b) return <span class="faint">same</span>
  return `${b > a ? '+' : '−'}${word(Math.abs(b - a))}`
}

function Notes({ one, other }: { one: Transcript; other: Transcript }) {
  const isPart = [one, other].some(({ hasMore, entries }) => hasMore || entries.length > mostAligned)
  const sealed = one.session === other.session ? one.sealed : one.sealed + other.sealed
  return (
    <>
      {isPart && (
        <p class="faint">Only the first {countWord(mostAligned)} entries of each run are compared.</p>
      )}
      {sealed > 0 && <p class="faint">{countOf(sealed, 'record')} locked and not compared.</p>}
    </>
  )
}

function Summary({ isSame }: { isSame: boolean }) {
  const all = pairs.value ?? []
  const count = all.filter(({ difference }) => difference !== 'none').length
  if (isSame)
    return (
      <p class="notice" role="status">
        Both are the same run. Choose another one to compare it with.
      </p>
    )
  if (count === 0)
    return (
      <p class="notice" role="status">
        No differences: both runs have the same steps, outcomes and texts.
      </p>
    )
  return (
    <div class="run-tools">
      <span role="status">{countOf(count, 'difference')}</span>
      <button type="button" class="button small" title="Next difference (n)" onClick={() => toDifference(1)}>
        Next difference <KeyCap name="n" />
      </button>
      <button
        type="button"
        class="button small"
        title="Previous difference (N)"
        onClick={() => toDifference(-1)}
      >
        Previous <KeyCap name="N" />
      </button>
    </div>
  )
}

const rowHeight = 28
const narrowHeight = 60
const narrow = '(max-width: 700px)'

/** On a narrow page both steps of a row are one under the other. */
function useNarrow(): boolean {
  const isNarrow = useSignal(matchMedia(narrow).matches)
  useEffect(() => {
    const media = matchMedia(narrow)
    const look = () => (isNarrow.value = media.matches)
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [])
  return isNarrow.value
}

const ignore = () => undefined

function Pairs() {
  const isNarrow = useNarrow()
  const onShow = useCallback(ignore, [])
  const all = pairs.value ?? []
  const idAt = (index: number) => all[index]?.first?.id ?? all[index]?.second?.id
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (compareByKey(event)) event.preventDefault()
  }
  return (
    <div class="run-rows compare-rows">
      <div class="run-list">
        <VirtualList
          label="Steps of both runs"
          count={all.length}
          isCounted
          rowHeight={isNarrow ? narrowHeight : rowHeight}
          cursor={pairCursor.value}
          selected={pairCursor.value}
          isBusy={transcript.value?.hasMore === true}
          element={listElement}
          scrollTo={pairScroll.value}
          onShow={onShow}
          onKey={onKey}
          idAt={idAt}
          onOpen={openPair}
          onPick={openPair}
        >
          {(index) => <PairRow pair={all[index]} />}
        </VirtualList>
      </div>
    </div>
  )
}

const differenceWords: Readonly<Record<Difference, string>> = {
  none: '',
  first: 'only in first',
  second: 'only in second',
  outcome: 'other outcome',
  text: 'other text',
}

function PairRow({ pair }: { pair: StepPair | undefined }) {
  if (!pair) return null
  const { first, second, places, difference } = pair
  return (
    <div class={`compare-row is-${difference}`} data-difference={difference}>
      <Cell step={first} place={places.first} />
      <span class="compare-word">{differenceWords[difference]}</span>
      <Cell step={second} place={places.second} />
    </div>
  )
}

function Cell({ step, place }: { step: RunStep | undefined; place: number | undefined }) {
  if (!step || place === undefined) return <span class="compare-cell is-empty faint">–</span>
  return (
    <span class="compare-cell" dir="auto">
      <span class="faint run-n">{countWord(place + 1)}</span>
      <Mark mark={step.mark} />
      <MarkSigns marks={{}} sensitivity={step.sensitivity} />
      <code>{step.lead}</code>
      <span class={step.isFailed ? 'run-words is-failed' : 'run-words'}>{step.words}</span>
    </span>
  )
}
