// The view of a kind of record: the list with its search, filters and histogram, beside the record that is open.
import { Histogram } from '../../parts/chart/histogram.tsx'
import { spanOf } from '../../parts/chart/histogram-slot.ts'
import type { RecordKind } from '../../kind/record-kind.ts'
import { address, go } from '../../state/address.ts'
import { withChip } from '../../state/filter-chip.ts'
import { count, isNarrowed, list, type RecordCount } from '../../state/list/record-list.ts'
import { capital } from '../../wording/text-word.ts'
import { faceOf } from '../kind/face-table.ts'
import { FilterBar } from './filter-bar.tsx'
import { RecordDetailView } from './record-detail-view.tsx'
import { RecordListView } from './record-list-view.tsx'
import { SearchBox } from './search-box.tsx'
import { Tabs } from '../shell/tabs.tsx'

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
