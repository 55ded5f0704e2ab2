// Parts of the detail pane of any record: a section with a name, rows, values that filter, and the link to its run.
import type { ComponentChildren } from 'preact'
import { ValueView } from '../../parts/value-view.tsx'
import { address, go } from '../../state/address.ts'
import type { View } from '../../kind/view.ts'
import { openRun } from '../../state/run/run-place.ts'

interface SectionProps {
  readonly name: string
  /** Fields of the record without a place of their own. */
  readonly rest?: Record<string, unknown>
  readonly children: ComponentChildren
}

export function Section({ name, rest = {}, children }: SectionProps) {
  return (
    <section class="star" aria-label={name}>
      <h3>{name}</h3>
      <div class="star-body">
        {children}
        {hasFields(rest) && <Block name="also" value={rest} />}
      </div>
    </section>
  )
}

export function Row({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="star-row">
      <span class="star-name">{name}</span>
      <span class="star-value">{children}</span>
    </div>
  )
}

export function Block({ name, value }: { name: string; value: unknown }) {
  return (
    <div class="star-block">
      {name !== '' && <span class="star-name">{name}</span>}
      <ValueView value={value} depth={1} />
    </div>
  )
}

interface FilterButtonProps {
  readonly view: View
  readonly field: string
  readonly value: string
}

/** A value as a button that lists all records with it. */
export function FilterButton({ view, field, value }: FilterButtonProps) {
  return (
    <button
      type="button"
      class="value-button"
      title={`Show all ${view} with this ${field}`}
      onClick={() => go({ view, search: '', chips: [{ field, value }] })}
    >
      {value}
    </button>
  )
}

export function hasFields(value: object): boolean {
  return Object.keys(value).length > 0
}

const headFields = ['id', 'kind', 'created_at', 'updated_at', 'ver', 'agent', 'session', 'resource', 'marks']

/** The fields beside `shown` and the head of a record. */
export function restOf(value: object, shown: readonly string[]): Record<string, unknown> {
  const named = new Set([...shown, ...headFields])
  return Object.fromEntries(
    Object.entries(value).filter(([key, field]) => !named.has(key) && field !== undefined),
  )
}

/** The owner of a record: agent, session, resource. */
export function HeadRows({ record, view }: { record: Head; view?: View }) {
  const { agent, session, resource } = record
  return (
    <>
      <Row name="agent">{view ? <FilterButton view={view} field="agent" value={agent} /> : agent}</Row>
      {session !== undefined && <Row name="session">{session}</Row>}
      {resource !== undefined && <Row name="resource">{resource}</Row>}
    </>
  )
}

interface Head {
  readonly agent: string
  readonly session?: string | undefined
  readonly resource?: string | undefined
}

/** A link from a record to the run of its session; nothing while that run is open. */
export function RunLink({
  record: { id, session },
}: {
  record: { id: string; session?: string | undefined }
}) {
  if (session === undefined || address.value.view === 'runs') return null
  return (
    <button type="button" class="link" onClick={() => openRun(session, id)}>
      Open its run
    </button>
  )
}
