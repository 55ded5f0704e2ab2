// The view of storage: medium, space, sensitive records, secrets, contents, and erasing the book after its name is typed.
import { Page } from '../shell/page.tsx'
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { useSignal } from '@preact/signals'
import { Bar } from '../../parts/bar.tsx'
import { Icon, Time } from '../../parts/inline.tsx'
import { bookName } from '../../state/address.ts'
import { refreshStatus, status } from '../../state/status.ts'
import { tell } from '../../page/toast.ts'
import { EraseCard } from './erase-card.tsx'
import { SealCard } from './seal-card.tsx'
import { SecretCard } from './secret-card.tsx'
import { durabilityWords } from '../../wording/storage-word.ts'
import { countOf, countWord, kindWord, shareWord, sizeWord } from '../../wording/text-word.ts'

export function StorageView() {
  const now = status.value
  return (
    <Page title="Storage">
      {now ? (
        <>
          <Medium />
          <Space />
          <SealCard />
          <SecretCard />
          <Contents />
          <EraseCard />
        </>
      ) : (
        <div class="card" aria-busy="true" />
      )}
    </Page>
  )
}

function Medium() {
  const now = status.value
  const isAsking = useSignal(false)
  if (!now) return null
  const { name, text, isSafe } = durabilityWords[now.durability]
  const keep = async () => {
    isAsking.value = true
    const isPersisted = (await navigator.storage?.persist?.()) ?? false
    isAsking.value = false
    tell(
      isPersisted
        ? 'The browser will not evict this site’s data by itself.'
        : 'Not granted. Most browsers grant it to installed or frequently used sites.',
    )
    refreshStatus()
  }
  return (
    <section class="card" aria-label="Medium">
      <p class="card-lead">
        <span class={`lamp ${isSafe ? 'good' : 'failed'}`} aria-hidden="true" />
        <span>
          Book <b>{bookName}</b>: {name}
        </span>
      </p>
      <p class="quiet">{text}</p>
      {now.degraded.map((reason) => (
        <p key={reason} class="form-error">
          {reason}
        </p>
      ))}
      <FactList>
        <Fact name="Protected from eviction">
          {now.persisted === undefined ? 'not known' : now.persisted ? 'granted' : 'not granted'}
        </Fact>
        <Fact name="This tab">
          {now.owner ? 'active tab (holds the database)' : 'follower: another tab holds the database'}
        </Fact>
        <Fact name="Checkpoint">
          {now.checkpointAt !== undefined && (
            <>
              <Time at={now.checkpointAt} />, to recover from a damaged file
            </>
          )}
        </Fact>
        <Fact name="Schema">version {now.schema}</Fact>
      </FactList>
      {now.persisted === false && now.durability !== 'memory' && (
        <div class="card-row">
          <button type="button" class="button" disabled={isAsking.value} onClick={() => void keep()}>
            <Icon name="lock" size={14} />
            Request persistent storage
          </button>
          <p class="faint">Otherwise the browser may delete this site’s data when the disk runs low.</p>
        </div>
      )}
    </section>
  )
}

function Space() {
  const now = status.value
  if (!now) return null
  const { usageBytes, quotaBytes } = now
  return (
    <section class="card" aria-label="Space">
      <h2>Space</h2>
      {quotaBytes === undefined ? (
        <p>{sizeWord(usageBytes)} in use. This medium has no quota.</p>
      ) : (
        <>
          <Bar
            label="in use"
            share={usageBytes / quotaBytes}
            text={shareWord(usageBytes / quotaBytes)}
            strong
          />
          <p class="quiet">
            {sizeWord(usageBytes)} of {sizeWord(quotaBytes)} available to this site. A full book stays
            readable.
          </p>
        </>
      )}
    </section>
  )
}

function Contents() {
  const now = status.value
  if (!now) return null
  const kinds = Object.entries(now.records).sort(([, a], [, b]) => b - a)
  return (
    <section class="card" aria-label="Records">
      <h2>Records</h2>
      {kinds.length === 0 ? (
        <p class="quiet">No records yet. Import a file or store a trace, and its kind is counted here.</p>
      ) : (
        <FactList>
          {kinds.map(([kind, records]) => (
            <Fact key={kind} name={kindWord(kind)}>
              {countWord(records)}
            </Fact>
          ))}
        </FactList>
      )}
      <p class="faint">
        {now.unindexed === 0
          ? 'Index up to date'
          : `The text of ${countOf(now.unindexed, 'record')} is not indexed yet; the next search indexes it first.`}
      </p>
    </section>
  )
}
