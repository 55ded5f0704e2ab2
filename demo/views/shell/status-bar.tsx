// The status bar: where the book is, who holds it, how much is in it, how much space there is, how syncing stands.
import { go } from '../../state/address.ts'
import { now } from '../../page/clock.ts'
import { status } from '../../state/status.ts'
import { durabilityWords } from '../../wording/storage-word.ts'
import { countOf, sizeWord } from '../../wording/text-word.ts'
import { syncStateWords } from '../../wording/sync-word.ts'

export function StatusBar() {
  const known = status.value
  if (!known) return <footer class="status-bar" aria-label="Status" />
  const medium = durabilityWords[known.durability]
  const records = Object.values(known.records).reduce((sum, count) => sum + count, 0)
  const quota = known.quotaBytes === undefined ? '' : ` of ${sizeWord(known.quotaBytes)}`
  const sync = syncStateWords(known.sync, now.value)
  const { conflicts } = known.sync
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
      <span class="status wide-only">{known.owner ? 'owner tab' : 'follower tab'}</span>
      <span class="status">{countOf(records, 'record')}</span>
      <button type="button" class="status wide-only" onClick={() => go({ view: 'storage', id: undefined })}>
        {sizeWord(known.usageBytes)}
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
