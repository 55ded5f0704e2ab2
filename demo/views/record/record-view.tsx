// The view of a kind of record: the list with its search, filters and histogram, beside the record that is open.
import { Histogram } from '../../parts/chart/histogram.tsx'
import { spanOf } from '../../parts/chart/histogram-slot.ts'
import type { RecordKind } from '../../kind/record-kind.ts'
import { address, go } from '../../state/address.ts'
import { chipsIn, withChip } from '../../state/filter-chip.ts'
import { count, isNarrowed, list, type RecordCount } from '../../state/list/record-list.ts'
import { capital } from '../../wording/text-word.ts'
import { faceOf } from '../kind/face-table.tsx'
import { FilterBar } from './filter-bar.tsx'
import { RecordDetailView } from './record-detail-view.tsx'
import { RecordListView } from './record-list-view.tsx'
import { Tabs } from '../shell/page.tsx'
import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon, KeyCap } from '../../parts/inline.tsx'
import { focusList, searchInput, stayOutOfList } from '../../state/act/focus.ts'

export function RecordView({ kind }: { kind: RecordKind }) {
  const { Tools } = faceOf(kind.name)
  const counted = count.value
  if (isEmpty(kind) && !isNarrowed.value && address.value.id === undefined) return <NothingYet kind={kind} />
  const pick = (fromMs: number, toMs: number) => {
    const value = `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`
    go({ chips: withChip(address.peek().chips, { field: 'time', value }, kind.fields) })
  }
  const titleId = `${kind.view}-title`
  return (
    <div class={address.value.id === undefined ? 'panes' : 'panes has-detail'}>
      {/* Stays where a narrow page has the open record alone. */}
      <h1 id={titleId} class="hidden">
        {capital(kind.many)}
      </h1>
      <section class="pane list-pane" aria-labelledby={titleId}>
        <header class="pane-head">
          <Tabs />
          {kind.searched !== undefined && <SearchBox key={kind.view} kind={kind} />}
          <FilterBar kind={kind}>{Tools && <Tools />}</FilterBar>
        </header>
        {counted && hasShape(counted) && (
          <Histogram one={kind.one} many={kind.many} count={counted} onPick={pick} />
        )}
        <RecordListView kind={kind} />
      </section>
      <RecordDetailView />
    </div>
  )
}

function NothingYet({ kind }: { kind: RecordKind }) {
  const { Empty } = faceOf(kind.name)
  return (
    <div class="page-scroll">
      <div class="page-tabs">
        <Tabs />
      </div>
      <Empty />
    </div>
  )
}

function isEmpty(kind: RecordKind): boolean {
  const pages = list.value?.kind === kind ? list.value.pages : undefined
  if (!pages) return false
  return pages.isCounted.value && pages.count.value === 0
}

const fewest = 6

/** A handful of bars say nothing that the rows don't. */
function hasShape({ buckets, by }: RecordCount): boolean {
  return spanOf(buckets, by) >= fewest
}

/** Less than between two keys: while a search runs, the next ones wait for it (`state/list/record-list.ts`). */
const breathMs = 30

function SearchBox({ kind }: { kind: RecordKind }) {
  const id = useId()
  const text = useSignal(address.value.search)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const { search } = address.value
  // Changed from outside: Back, a cleared filter, a link. Before the list is painted, so that the box never names another one.
  useLayoutEffect(() => {
    if (timer.current === undefined) text.value = search
  }, [search])
  const apply = () => {
    clearTimeout(timer.current)
    timer.current = undefined
    // One step of history for one search, however it was typed.
    go({ search: text.value }, address.peek().search === '' ? 'push' : 'replace')
  }
  const type = (value: string) => {
    stayOutOfList()
    text.value = value
    clearTimeout(timer.current)
    timer.current = setTimeout(apply, breathMs)
  }
  /** `agent:tutor` becomes a filter, which can be seen and taken away; `id:` opens the record. */
  const nameFields = () => {
    const [, id] = /^id:(\S+)$/.exec(text.value.trim()) ?? []
    if (id !== undefined) {
      text.value = ''
      return go({ search: '', id })
    }
    const { rest, chips } = chipsIn(text.value, kind.fields)
    if (chips.length === 0) return
    text.value = rest
    go({
      search: rest,
      chips: chips.reduce((all, chip) => withChip(all, chip, kind.fields), address.peek().chips),
    })
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault()
      nameFields()
      apply()
      focusList()
    } else if (event.key === 'Escape' && text.value !== '') {
      event.stopPropagation()
      type('')
      apply()
    } else if (event.key === 'Escape') {
      focusList()
    }
  }
  return (
    <div class="search-box" role="search">
      <Icon name="search" />
      <label class="hidden" for={id}>
        Search {kind.many}
      </label>
      <input
        ref={searchInput}
        id={id}
        type="search"
        enterKeyHint="search"
        placeholder={`Search ${kind.many}`}
        autocomplete="off"
        spellcheck={false}
        maxLength={2000}
        value={text.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <KeyCap name="/" />
    </div>
  )
}
