// The list of a kind: its count, new records, picked records, and rows for keyboard, mouse and screen reader.
import { useCallback, useEffect } from 'preact/hooks'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { choiceOf } from '../../kind/filter-field.ts'
import type { RecordKind, RecordRow } from '../../kind/record-kind.ts'
import { address, chipOf, go } from '../../state/address.ts'
import { focusDetail, focusList, listElement, onListDrawn } from '../../state/act/focus.ts'
import { cursor, moveCursor, openRow } from '../../state/list/list-cursor.ts'
import {
  fresh,
  isLoading,
  isNarrowed,
  list,
  listFailure,
  type RecordList,
  reloadList,
  scrollRequest,
  shown,
} from '../../state/list/record-list.ts'
import {
  clearPicked,
  forgetPicked,
  isForgetPending,
  picked,
  savePicked,
  togglePicked,
} from '../../state/act/pick.ts'
import { capital, countOf, countWord } from '../../wording/text-word.ts'
import { Icon, Time } from '../../parts/inline.tsx'
import { Mark, MarkSigns } from '../../parts/mark.tsx'
import { marks, type MarkWords } from '../../kind/mark.ts'
import type { View } from '../../kind/view.ts'
import { hasColumn, listSettings } from '../../state/list/list-setting.ts'

const pageStep = 10

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const at = cursor.peek() ?? -1
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: Math.max(0, at - 1),
    k: Math.max(0, at - 1),
    PageDown: at + pageStep,
    PageUp: Math.max(0, at - pageStep),
    Home: 0,
    End: Number.MAX_SAFE_INTEGER,
  }
  const to = steps[event.key]
  if (to !== undefined) void moveCursor(to)
  else if (event.key === 'x') togglePicked(cursor.peek())
  else if (event.key === 'Escape' && picked.peek().size > 0) clearPicked()
  else if ((event.key === 'Enter' || event.key === ' ') && cursor.peek() !== undefined) {
    void openRow(cursor.peek() ?? 0).then(focusDetail)
  } else return
  event.preventDefault()
}

export function RecordListView({ kind }: { kind: RecordKind }) {
  const now = list.value
  useEffect(onListDrawn)
  const onShow = useCallback(
    (first: number, last: number) => {
      shown.first = first
      shown.last = last
      now?.pages.show(first, last)
    },
    [now],
  )
  if (listFailure.value !== undefined && !now) {
    return (
      <ErrorNotice
        title={`The ${kind.many} could not be read.`}
        error={listFailure.value}
        retry={reloadList}
      />
    )
  }
  if (!now) return <div class="list-wait" aria-busy="true" />
  void now.pages.version.value
  const count = now.pages.count.value
  const isCounted = now.pages.isCounted.value
  const { id } = address.value
  const selected = id === undefined ? undefined : now.pages.indexOf((row) => row.id === id)
  const failure = listFailure.value ?? now.pages.failure.value
  return (
    <>
      <ListHead now={now} count={count} isCounted={isCounted} />
      <PickBar kind={kind} />
      <ErrorNotice
        title={`Some ${kind.many} could not be read.`}
        error={failure}
        retry={() => void reloadList({ keepPlace: true })}
      />
      {count === 0 ? (
        <NothingFound kind={kind} />
      ) : (
        <VirtualList
          key={kind.view}
          label={capital(kind.many)}
          count={count}
          isCounted={isCounted}
          rowHeight={rowHeightNow()}
          cursor={cursor.value === undefined ? undefined : Math.min(cursor.value, count - 1)}
          selected={selected}
          isBusy={isLoading.value}
          element={listElement}
          scrollTo={scrollRequest.value}
          onShow={onShow}
          onKey={onKey}
          idAt={(index) => now.pages.at(index)?.id}
          onOpen={openRow}
          onPick={togglePicked}
        >
          {(index) => <RecordRowView row={now.pages.at(index)} view={kind.view} />}
        </VirtualList>
      )}
    </>
  )
}

function ListHead({ now, count, isCounted }: { now: RecordList; count: number; isCounted: boolean }) {
  const isSearch = now.search !== ''
  const { one, many } = now.kind
  const [single, plural] = isSearch ? [`${one} matches`, `${many} match`] : [one, many]
  const counted = isCounted ? countOf(count, single, plural) : `${countWord(count - 1)}+ ${plural}`
  return (
    <div class="list-head">
      <p class="list-count">
        <b>{counted}</b>
        <span class="faint"> · {isSearch ? 'best match first' : orderWord(now.kind)}</span>
      </p>
      {fresh.value > 0 && (
        <button type="button" class="button small primary fresh" onClick={() => void reloadList()}>
          {fresh.value} new
          <span class="hidden">, show them</span>
        </button>
      )}
      {now.match === 'any' && count > 0 && (
        <p class="list-note">No {one} has all of these words. These have some of them.</p>
      )}
    </div>
  )
}

/** The chosen order, in words. */
function orderWord({ fields, order }: RecordKind): string {
  const field = fields['order']
  const chosen = chipOf('order')
  if (field?.type !== 'choice' || chosen === undefined) return order
  return choiceOf(field, chosen)?.word ?? order
}

function NothingFound({ kind: { one, many, searched } }: { kind: RecordKind }) {
  const { search } = address.value
  if (!isNarrowed.value) return null
  return (
    <EmptyNote
      title={search.trim() === '' ? `No ${one} matches these filters.` : `No ${one} has any of these words.`}
    >
      <p>{searched}</p>
      <p>
        <button type="button" class="button" onClick={() => go({ search: '', chips: [] })}>
          Show all {many}
        </button>
      </p>
    </EmptyNote>
  )
}

function PickBar({ kind }: { kind: RecordKind }) {
  const count = picked.value.size
  if (count === 0) return null
  const many = countOf(count, kind.one, kind.many)
  const done = (act: () => void) => () => {
    act()
    focusList()
  }
  return (
    <div class="pick-bar" role="group" aria-label={`Picked ${kind.many}`}>
      {isForgetPending.value ? (
        <>
          <span role="status">Forget {many} now? This cannot be undone.</span>
          <button type="button" class="button small danger" onClick={done(forgetPicked)}>
            Forget {many}
          </button>
          <button type="button" class="button small" onClick={() => (isForgetPending.value = false)}>
            Keep
          </button>
        </>
      ) : (
        <>
          <span role="status">{many} picked</span>
          <button type="button" class="button small" onClick={() => void savePicked()}>
            Save as JSON
          </button>
          <button type="button" class="button small" onClick={() => (isForgetPending.value = true)}>
            Forget…
          </button>
          <button type="button" class="link" onClick={done(clearPicked)}>
            Clear
          </button>
        </>
      )}
    </div>
  )
}

const rowHeight = 52
/** 25 of them and more fit into a window of 900 px. */
const compactHeight = 24

const rowHeightNow = (): number => (listSettings.value.isCompact ? compactHeight : rowHeight)

/** The columns that can be hidden. */
export const rowColumns = { details: 'Details', context: 'Context', time: 'Time' } as const

function RecordRowView({ row, view }: { row: RecordRow | undefined; view: View }) {
  if (!row) {
    return (
      <div class="record-row is-waiting">
        <span class="hidden">Loading</span>
        <span class="bone" />
        <span class="bone short" />
      </div>
    )
  }
  const isPicked = picked.value.has(row.id)
  const { word, tone, isUsual = false }: MarkWords = marks[row.mark]
  return (
    <div
      class={['record-row', isPicked && 'is-picked', listSettings.value.isCompact && 'is-compact']
        .filter(Boolean)
        .join(' ')}
    >
      <Mark mark={row.mark} />
      <p class="record-line">
        {isPicked && (
          <>
            <Icon name="done" size={14} />
            <span class="hidden">Picked. </span>
          </>
        )}
        <span class="record-title" dir="auto">
          {row.title}
        </span>
        <MarkSigns marks={row.marks ?? {}} sensitivity={row.sensitivity} />
        {hasColumn(view, 'time') && (
          <span class="record-when">
            <Time at={row.at} />
          </span>
        )}
      </p>
      <p class="record-line faint">
        {!isUsual && <span class={`record-word ${tone}`}>{word}</span>}
        {hasColumn(view, 'details') && <Details row={row} />}
        {row.share !== undefined && (
          <span class="record-share" aria-hidden="true">
            <span class="bar-fill" style={{ width: `${(row.share * 100).toFixed(0)}%` }} />
          </span>
        )}
        {hasColumn(view, 'context') && <span class="record-aside">{row.aside}</span>}
      </p>
    </div>
  )
}

/** The passage that a search matched, or else the beginning. */
function Details({ row: { matched = [], lead, rest, isProse } }: { row: RecordRow }) {
  if (matched.length > 0)
    return (
      <span class="record-lead" dir="auto">
        {matched.map(({ text, isMatch }, i) => (isMatch ? <mark key={i}>{text}</mark> : text))}
      </span>
    )
  return (
    <span class="record-lead">
      {lead !== '' && <code>{lead}</code>} {isProse ? rest : <code class="faint">{rest}</code>}
    </span>
  )
}
