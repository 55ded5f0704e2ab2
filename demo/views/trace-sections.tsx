// Situation, task, action and result of a trace. Values one could want more of are buttons that filter by them.
import type { ComponentChildren } from 'preact'
import type { Trace } from '../../src/index.ts'
import { ClampedText } from '../parts/clamped-text.tsx'
import { Mark } from '../parts/mark.tsx'
import { ValueView } from '../parts/value-view.tsx'
import { outcomeOf, type TraceField } from '../room/trace-room.ts'
import { go } from '../state/address.ts'

export function TraceSections({ record: trace }: { record: Trace }) {
  const { situation, task, action, result, metadata } = trace
  return (
    <>
      <Section name="Situation" rest={restOf(situation, ['domain', 'actor', 'channel', 'context', 'now'])}>
        <Row name="domain">
          <FilterButton field="domain" value={situation.domain} />
        </Row>
        {situation.actor !== undefined && (
          <Row name="actor">
            <FilterButton field="actor" value={situation.actor} />
          </Row>
        )}
        {situation.channel !== undefined && <Row name="channel">{situation.channel}</Row>}
        {trace.session !== undefined && (
          <Row name="session">
            <FilterButton field="session" value={trace.session} />
          </Row>
        )}
        <Row name="agent">{trace.agent}</Row>
        {situation.now !== undefined && <Row name="now">{situation.now}</Row>}
        {hasFields(situation.context) && <Block name="context" value={situation.context} />}
      </Section>
      <Section name="Task" rest={restOf(task, ['goal', 'constraints'])}>
        <div class="goal-text">
          <ClampedText text={task.goal} />
        </div>
        {task.constraints.length > 0 && <Block name="constraints" value={task.constraints} />}
      </Section>
      <Section name="Action" rest={restOf(action, ['type', 'parameters', 'tools_used'])}>
        <Row name="type">
          <FilterButton field="action" value={action.type} />
        </Row>
        {action.tools_used.length > 0 && <Row name="tools">{action.tools_used.join(', ')}</Row>}
        {hasFields(action.parameters) && <Block name="parameters" value={action.parameters} />}
      </Section>
      <Section name="Result" rest={result ? restOf(result, ['success', 'outcome', 'side_effects']) : {}}>
        <Row name="outcome">
          <Mark mark={outcomeOf(trace)} word />
        </Row>
        {!result && <p class="faint">Stored without a result; it can be completed later.</p>}
        {result && hasFields(result.outcome) && <Block name="" value={result.outcome} />}
        {result && result.side_effects.length > 0 && (
          <Block name="side effects" value={result.side_effects} />
        )}
      </Section>
      <Section name="Metadata" rest={restOf(metadata, ['mode', 'tags', 'linked_traces'])}>
        <Row name="mode">
          <FilterButton field="mode" value={metadata.mode} />
        </Row>
        {metadata.tags.length > 0 && (
          <Row name="tags">
            {metadata.tags.map((tag) => (
              <FilterButton key={tag} field="tag" value={tag} />
            ))}
          </Row>
        )}
      </Section>
    </>
  )
}

function Section({
  name,
  rest,
  children,
}: {
  name: string
  rest: Record<string, unknown>
  children: ComponentChildren
}) {
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

function Row({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="star-row">
      <span class="star-name">{name}</span>
      <span class="star-value">{children}</span>
    </div>
  )
}

function Block({ name, value }: { name: string; value: unknown }) {
  return (
    <div class="star-block">
      {name !== '' && <span class="star-name">{name}</span>}
      <ValueView value={value} depth={1} />
    </div>
  )
}

function FilterButton({ field, value }: { field: TraceField; value: string }) {
  return (
    <button
      type="button"
      class="value-button"
      title={`Show all traces with this ${field}`}
      onClick={() => go({ view: 'traces', search: '', chips: [{ field, value }] })}
    >
      {value}
    </button>
  )
}

function hasFields(value: object): boolean {
  return Object.keys(value).length > 0
}

/** What a stored trace carries beyond the fields that have a place of their own. */
function restOf(value: Record<string, unknown>, known: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([key, field]) => !known.includes(key) && field !== undefined),
  )
}
