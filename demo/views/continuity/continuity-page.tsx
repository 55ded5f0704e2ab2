// The frame of the views of continuity: the current persona, a choice of another one, and help for a book without any.
import { Page } from '../shell/page.tsx'
import type { ComponentChildren } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import {
  isUnknown,
  type Known,
  loadPersonas,
  persona,
  personas,
  personasFailure,
  wantedName,
} from '../../state/continuity/personas.ts'
import { go } from '../../state/address.ts'

interface PageProps {
  readonly title: string
  readonly children: (shown: Known) => ComponentChildren
  /** The view has its own way to choose a persona. */
  readonly picks?: boolean
}

export function ContinuityPage({ title, children, picks = false }: PageProps) {
  const all = personas.value
  const shown = persona.value
  return (
    <Page
      look="continuity"
      title={title}
      tools={!picks && all && all.length > 1 ? <Picker all={all} shown={shown} /> : null}
    >
      <ErrorNotice
        title="The personas could not be read."
        error={personasFailure.value}
        retry={loadPersonas}
      />
      {!all && personasFailure.value === undefined && <p aria-busy="true">…</p>}
      {all?.length === 0 && <NoPersona />}
      {all && all.length > 0 && isUnknown.value && <Unknown />}
      {shown && children(shown)}
    </Page>
  )
}

function Picker({ all, shown }: { all: readonly Known[]; shown: Known | undefined }) {
  return (
    <label class="persona-picker">
      <span class="faint">Persona</span>
      <select
        class="input"
        value={shown?.ci_id ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const chosen = all.find(({ ci_id }) => ci_id === value)
          if (chosen) go({ chips: [{ field: 'persona', value: chosen.name }], id: undefined })
        }}
      >
        {!shown && <option value="">none</option>}
        {all.map(({ ci_id, name }) => (
          <option key={ci_id} value={ci_id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Unknown() {
  return (
    <EmptyNote title="There is no such persona in this book.">
      <p>
        <bdi>{wantedName.value}</bdi> may be in a book that has not synced with this one yet.{' '}
        <button type="button" class="link" onClick={() => go({ view: 'personas', chips: [], id: undefined })}>
          Show all personas
        </button>
      </p>
    </EmptyNote>
  )
}

const example = `await book.personas.register({ name: 'Alice', role: 'developer' })
const { scope } = await book.sessions.start({ persona: 'Alice' })
const alice = book.with(scope)
await alice.thoughts.decide({ decision: 'Use Podman', reasoning: 'no daemon' })
await alice.days.sundown()`

function NoPersona() {
  return (
    <EmptyNote title="No personas yet">
      <p>
        This is where you see who your agents are from day to day: their sessions, the digest of each day with
        its evidence, what they keep and where they left off.
      </p>
      <p>An agent registers a persona and starts a session. Try it in this page’s console:</p>
      <div class="example">
        <p class="example-head">
          <span class="faint">A first day</span>
          <span class="spacer" />
          <CopyButton text={example} of="example" />
        </p>
        <pre tabIndex={0} aria-label="Example">
          {example}
        </pre>
      </div>
    </EmptyNote>
  )
}
