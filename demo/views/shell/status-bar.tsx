// The status bar: the medium of the book, its owner tab, its size, the quota, and the state of sync.
import { go } from '../../state/address.ts'
import { now } from '../../page/clock.ts'
import { status } from '../../state/status.ts'
import { durabilityWords } from '../../wording/storage-word.ts'
import { countOf, sizeWord } from '../../wording/text-word.ts'
import { syncStateWords } from '../../wording/sync-word.ts'

export function StatusBar() {
  const state = status.value
  if (!state) return <footer class="status-bar" aria-label="Status" />
  const medium = durabilityWords[state.durability]
  const records = Object.values(state.records).reduce((sum, count) => sum + count, 0)
  const quota = state.quotaBytes === undefined ? '' : ` of ${sizeWord(state.quotaBytes)}`
  const sync = syncStateWords(state.sync, now.value)
  const { conflicts } = state.sync
  return (
    <footer class="status-bar" aria-label="Status">
      <button
        type="button"
        class={medium.isSafe ? 'status' : 'status is-bad'}
        title={medium.text}
        onClick={() => go({ view: 'storage', id: undefined })}
      >
        {medium.short}
      </button>
      <span class="status wide-only">{state.owner ? 'owner tab' : 'follower tab'}</span>
      <span class="status">{countOf(records, 'record')}</span>
      <button type="button" class="status wide-only" onClick={() => go({ view: 'storage', id: undefined })}>
        {sizeWord(state.usageBytes)}
        {quota}
      </button>
      <span class="spacer" />
      <button
        type="button"
        class="status"
        title={sync.long}
        onClick={() => go({ view: 'sync', id: undefined })}
      >
        <span class={`lamp ${sync.mood}`} aria-hidden="true" />
        {sync.short}
      </button>
      {conflicts > 0 && (
        <button type="button" class="status is-bad" onClick={() => go({ view: 'sync', id: undefined })}>
          {countOf(conflicts, 'conflict')}
        </button>
      )}
    </footer>
  )
}
