// What this page's agent says of itself to the group: a name, and what it can do, one capability a line.
import { useSignal } from '@preact/signals'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { announceSelf, ownClaw } from '../../state/pool/claws.ts'

export function AnnounceCard({ you }: { you: string }) {
  const own = ownClaw.value
  const name = useSignal(own?.displayName ?? '')
  const lines = useSignal((own?.capabilities ?? []).join('\n'))
  const failure = useSignal<unknown>(undefined)
  const capabilities = lines.value.split('\n').flatMap((line) => line.trim() || [])
  const save = async (event: Event) => {
    event.preventDefault()
    failure.value = await announceSelf(name.value.trim(), capabilities)
  }
  return (
    <section class="card" aria-label="This book">
      <h2>{own ? 'This book as an agent' : 'Announce this book as an agent'}</h2>
      <p class="quiet">
        Others know it as <code>{you}</code>. They see what it can do and ask it for that; it needs no
        capability to vote.
      </p>
      <form class="fields-form" onSubmit={(event) => void save(event)}>
        <label class="labelled">
          Name
          <input
            class="input"
            autocomplete="off"
            maxLength={200}
            placeholder="Log reader"
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
        </label>
        <label class="labelled">
          Capabilities, one a line
          <textarea
            class="input mono"
            rows={3}
            spellcheck={false}
            placeholder={'logs.read:/var/log/app/*\ndb.read:orders,customers'}
            value={lines.value}
            onInput={({ currentTarget }) => (lines.value = currentTarget.value)}
          />
        </label>
        {failure.value !== undefined && <ErrorNotice title="It was not announced." error={failure.value} />}
        <div>
          <button type="submit" class="button">
            {own ? 'Announce again' : 'Announce'}
          </button>
        </div>
      </form>
    </section>
  )
}
