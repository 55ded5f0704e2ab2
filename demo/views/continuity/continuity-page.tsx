// The frame of the views of continuity: their tabs, a heading, whose they are, and what to do while there is no persona.
import type { ComponentChildren } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import {
  askedName,
  isUnknown,
  loadPersonas,
  type Known,
  persona,
  personas,
  personasFailure,
} from '../../state/continuity/personas.ts'
import { go } from '../../state/address.ts'
import { Tabs } from '../shell/tabs.tsx'

interface PageProps {
  readonly title: string
  readonly children: (who: Known) => ComponentChildren
  /** The view has its own way to choose a persona. */
  readonly picks?: boolean
}

export function ContinuityPage({ title, children, picks = false }: PageProps) {
  const all = personas.value
  const who = persona.value
  return (
    <>
      <div class="page-tabs">
        <Tabs />
      </div>
      <div class="page-scroll">
        <div class="page continuity">
          <div class="section-head">
            <h1>{title}</h1>
            {!picks && all && all.length > 1 && <Picker all={all} who={who} />}
          </div>
          {personasFailure.value !== undefined && (
            <ErrorNotice
              title="The personas could not be read."
              error={personasFailure.value}
              retry={() => void loadPersonas()}
            />
          )}
          {!all && personasFailure.value === undefined && <p aria-busy="true">…</p>}
          {all?.length === 0 && <NoPersona />}
          {all && all.length > 0 && isUnknown.value && <Unknown />}
          {who && children(who)}
        </div>
      </div>
    </>
  )
}

function Picker({ all, who }: { all: readonly Known[]; who: Known | undefined }) {
  return (
    <label class="persona-picker">
      <span class="faint">Persona</span>
      <select
        class="input"
        value={who?.ci_id ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const chosen = all.find(({ ci_id }) => ci_id === value)
          if (chosen) go({ chips: [{ field: 'persona', value: chosen.name }], id: undefined })
        }}
      >
        {!who && <option value="">none</option>}
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
        <bdi>{askedName.value}</bdi> may be in a book that has not synced with this one yet.{' '}
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
          <CopyButton text={example} what="example" />
        </p>
        <pre tabIndex={0} aria-label="Example">
          {example}
        </pre>
      </div>
    </EmptyNote>
  )
}
