// The room of traces: the list with its search, filters and histogram, beside the trace that is open.
import { Histogram } from '../parts/histogram.tsx'
import { slotsOf } from '../parts/histogram-slot.ts'
import { address, go } from '../state/address.ts'
import { withChip } from '../state/filter-chip.ts'
import { count, isNarrowed, type TraceCount } from '../state/trace-list.ts'
import { EmptyBook } from './empty-book.tsx'
import { FilterBar } from './filter-bar.tsx'
import { SearchBox } from './search-box.tsx'
import { TraceDetailView } from './trace-detail-view.tsx'
import { TraceListView } from './trace-list-view.tsx'

export function TraceView() {
  const counted = count.value
  if (counted?.total === 0 && !isNarrowed.value && address.value.id === undefined) return <EmptyBook />
  const pick = (fromMs: number, toMs: number) => {
    const value = `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`
    go({ chips: withChip(address.peek().chips, { field: 'time', value }) })
  }
  return (
    <div class={address.value.id === undefined ? 'panes' : 'panes has-detail'}>
      <section class="pane list-pane" aria-labelledby="traces-title">
        <header class="pane-head">
          <h1 id="traces-title" class="hidden">
            Traces
          </h1>
          <SearchBox />
          <FilterBar />
        </header>
        {counted && hasShape(counted) && <Histogram count={counted} onPick={pick} />}
        <TraceListView />
      </section>
      <TraceDetailView />
    </div>
  )
}

const fewest = 6

/** A handful of bars say nothing that the rows don't. */
function hasShape({ buckets, by }: TraceCount): boolean {
  return slotsOf(buckets, by, fewest).length === fewest
}
