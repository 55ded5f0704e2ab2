// The rows of a run, one line a step, with the bars of a waterfall; only visible rows are drawn. Beside them a map of the run.
import { useSignal } from '@preact/signals'
import { useCallback, useEffect } from 'preact/hooks'
import { Mark, MarkSigns } from '../../parts/mark.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import type { Picture, PictureRow } from '../../kind/run/picture.ts'
import type { StepBar } from '../../kind/run/time-line.ts'
import { focusDetail, listElement, onListDrawn } from '../../state/act/focus.ts'
import { address } from '../../state/address.ts'
import {
  fold,
  isFolded,
  isNarrowedRun,
  openStep,
  rowIndex,
  runByKey,
  runCursor,
  runRows,
  runScroll,
} from '../../state/run/run-step.ts'
import { costWord, longDuration } from '../../wording/run-word.ts'
import { countWord } from '../../wording/text-word.ts'
import { RunMap } from './run-map.tsx'

const rowHeight = 28

interface Columns {
  readonly tokens: boolean
  readonly cost: boolean
}

export function RunRows({ picture, isBusy }: { picture: Picture; isBusy: boolean }) {
  const rows = runRows.value
  const shown = useSignal({ first: 0, last: 0 })
  const onShow = useCallback((first: number, last: number) => (shown.value = { first, last }), [])
  useEffect(onListDrawn)
  const columns = { tokens: picture.tokens !== undefined, cost: picture.cost !== undefined }
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (runByKey(event)) event.preventDefault()
  }
  return (
    <div class={`run-rows${columns.tokens ? ' has-tokens' : ''}${columns.cost ? ' has-cost' : ''}`}>
      <div class="run-list">
        <RowHeads picture={picture} columns={columns} />
        <VirtualList
          label="Steps"
          count={rows.length}
          isCounted
          treeAt={(index) => treePlace(rows[index])}
          rowHeight={rowHeight}
          cursor={runCursor.value}
          selected={rowIndex(address.value.id)}
          isBusy={isBusy}
          element={listElement}
          scrollTo={runScroll.value}
          onShow={onShow}
          onKey={onKey}
          idAt={(index) => rows[index]?.step.id}
          onOpen={(index) => {
            openStep(index)
            focusDetail()
          }}
          onPick={openStep}
        >
          {(index) => <StepRow row={rows[index]} columns={columns} hasTimes={picture.hasTimes} />}
        </VirtualList>
      </div>
      <RunMap rows={rows} rowHeight={rowHeight} />
    </div>
  )
}

function treePlace(row: PictureRow | undefined) {
  // Filtered rows are a plain list.
  if (!row || isNarrowedRun.value) return { level: 1, isOpen: undefined, nth: 1, of: 1 }
  const { level, beneath, nth, of, step } = row
  return { level: level + 1, isOpen: beneath > 0 ? !isFolded(step.id) : undefined, nth, of }
}

/** For the eye; each row is read as a sentence. */
function RowHeads({ picture: { hasTimes, line }, columns }: { picture: Picture; columns: Columns }) {
  return (
    <div class="run-row run-heads faint" aria-hidden="true">
      <span class="run-n">#</span>
      <span>Step</span>
      <span class="run-ms">Duration</span>
      {columns.tokens && <span class="run-tokens">Tokens</span>}
      {columns.cost && <span class="run-cost">Cost</span>}
      <span class="run-bar">{!hasTimes ? 'Measured' : line.isCut ? 'Time, stalls shortened' : 'Time'}</span>
    </div>
  )
}

const deepest = 6

interface StepRowProps {
  readonly row: PictureRow | undefined
  readonly columns: Columns
  readonly hasTimes: boolean
}

function StepRow({ row, columns, hasTimes }: StepRowProps) {
  if (!row) return null
  const { step, bar, follows } = row
  return (
    <div class="run-row" data-step={step.id}>
      <span class="faint run-n">{countWord(row.place + 1)}</span>
      <span class={`run-title level-${isNarrowedRun.value ? 0 : Math.min(deepest, row.level)}`} dir="auto">
        <Mark mark={step.mark} />
        <MarkSigns marks={{}} sensitivity={step.sensitivity} />
        {row.agent !== undefined && <span class="run-agent">{row.agent}</span>}
        <code>{step.lead}</code>
        <FoldButton row={row} />
        {hasTimes && bar.stall && (
          <span class="run-stall">
            <span class="hidden">after </span>idle {longDuration(bar.stall.ms)}
          </span>
        )}
        {follows !== undefined && (
          <span class="faint">
            <span aria-hidden="true">↳{countWord(follows + 1)}</span>
            <span class="hidden">follows step {countWord(follows + 1)}</span>
          </span>
        )}
        <span class={step.isFailed ? 'run-words is-failed' : 'run-words'}>{step.words}</span>
      </span>
      <span class="faint run-ms">
        <Duration bar={bar} isStep={step.tool !== undefined} />
      </span>
      {columns.tokens && <Figure look="run-tokens" value={step.tokens} word={countWord} of="tokens" />}
      {columns.cost && <Figure look="run-cost" value={step.cost} word={costWord} of="" />}
      <span class="run-bar">
        {(hasTimes || bar.ms !== undefined) && <Waterfall bar={bar} isFailed={step.isFailed} />}
      </span>
    </div>
  )
}

function FoldButton({ row: { beneath, step } }: { row: PictureRow }) {
  if (beneath === 0 || isNarrowedRun.value) return null
  const isOpen = !isFolded(step.id)
  // The keyboard folds with the arrows; a screen reader hears the state with the row.
  return (
    <span
      class="run-fold"
      aria-hidden="true"
      title={isOpen ? 'Fold (←)' : 'Unfold (→)'}
      onClick={(event) => {
        event.stopPropagation()
        fold(step.id, !isOpen)
      }}
    >
      {isOpen ? '▾' : '▸'} {countWord(beneath)}
    </span>
  )
}

function Duration({ bar: { ms, isMeasured }, isStep }: { bar: StepBar; isStep: boolean }) {
  if (!isStep) return null
  if (ms === undefined) return <>–</>
  return (
    <>
      {!isMeasured && '≤ '}
      {longDuration(ms)}
      {!isMeasured && <span class="hidden"> since the previous entry</span>}
    </>
  )
}

interface FigureProps {
  readonly look: string
  readonly value: number | undefined
  readonly word: (value: number) => string
  readonly of: string
}

function Figure({ look, value, word, of }: FigureProps) {
  return (
    <span class={`faint ${look}`}>
      {value !== undefined && word(value)}
      {value !== undefined && of !== '' && <span class="hidden"> {of}</span>}
    </span>
  )
}

const width = 1000
const least = 5

function Waterfall({ bar, isFailed }: { bar: StepBar; isFailed: boolean }) {
  const length = Math.max(least, bar.length * width)
  const from = Math.max(0, Math.min(width - length, bar.from * width))
  const look = `waterfall-bar${bar.isMeasured ? '' : ' is-hollow'}${isFailed ? ' is-failed' : ''}`
  return (
    <svg viewBox={`0 0 ${width} 10`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path class="waterfall-line" d={`M0 5h${width}`} />
      {bar.stall && (
        <path class="waterfall-stall" d={`M${bar.stall.from * width} 5h${bar.stall.length * width}`} />
      )}
      <rect class={look} x={from} y="1" width={length} height="8" />
    </svg>
  )
}
