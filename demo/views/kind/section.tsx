// The parts of which the pane of any record is made: a section with a name, rows in it, values that filter by themselves.
import type { ComponentChildren } from 'preact'
import { ValueView } from '../../parts/value-view.tsx'
import { go } from '../../state/address.ts'
import type { View } from '../../kind/view.ts'

interface SectionProps {
  readonly name: string
  /** What the record carries beyond the fields that have a place of their own. */
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

/** A value one could want more of: pressing it lists all that have it. */
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

/** What a record carries beyond `known` and its head. */
export function restOf(value: object, known: readonly string[]): Record<string, unknown> {
  const named = new Set([...known, ...headFields])
  return Object.fromEntries(
    Object.entries(value).filter(([key, field]) => !named.has(key) && field !== undefined),
  )
}

/** Whose record it is, and when it came to be: the same for every kind. */
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
