// The list of a kind: how many, what came in since, and the rows themselves under keyboard, mouse and screen reader.
import { useCallback, useEffect } from 'preact/hooks'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { choiceOf } from '../../kind/filter-field.ts'
import type { RecordKind } from '../../kind/record-kind.ts'
import { address, chipOf, go } from '../../state/address.ts'
import { focusDetail, listElement, onListDrawn } from '../../state/act/focus.ts'
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
import { clearPicked, picked, togglePicked } from '../../state/act/pick.ts'
import { countOf, countWord, capital } from '../../wording/text-word.ts'
import { PickBar } from './pick-bar.tsx'
import { RecordRowView, rowHeightNow } from './record-row-view.tsx'

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
        retry={() => void reloadList()}
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
      {failure !== undefined && (
        <ErrorNotice
          title={`Some ${kind.many} could not be read.`}
          error={failure}
          retry={() => void reloadList({ keepPlace: true })}
        />
      )}
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
          onOpen={(index) => void openRow(index)}
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
  const known = isCounted ? countOf(count, single, plural) : `${countWord(count - 1)}+ ${plural}`
  return (
    <div class="list-head">
      <p class="list-count">
        <b>{known}</b>
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

/** The order that is chosen, in words. */
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
