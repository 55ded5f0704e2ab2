// Situation, task, action and result of a trace. Common values are buttons that filter.
import type { Trace } from '../../../src/index.ts'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { Mark } from '../../parts/mark.tsx'
import { outcomeOf, type TraceField } from '../../kind/trace-kind.ts'
import { Block, FilterButton, hasFields, restOf, Row, RunLink, Section } from './section.tsx'

export function TraceSections({ record: trace }: { record: Trace }) {
  const { situation, task, action, metadata } = trace
  // Why it failed is what a reader of a failure wants first.
  const isFailed = outcomeOf(trace) === 'failed'
  return (
    <>
      {isFailed && <ResultSection trace={trace} />}
      <Section name="Situation" rest={restOf(situation, ['domain', 'actor', 'channel', 'context', 'now'])}>
        <Row name="domain">
          <Filter field="domain" value={situation.domain} />
        </Row>
        {situation.actor !== undefined && (
          <Row name="actor">
            <Filter field="actor" value={situation.actor} />
          </Row>
        )}
        {situation.channel !== undefined && <Row name="channel">{situation.channel}</Row>}
        {trace.session !== undefined && (
          <Row name="session">
            <Filter field="session" value={trace.session} /> <RunLink record={trace} />
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
          <Filter field="action" value={action.type} />
        </Row>
        {action.tools_used.length > 0 && <Row name="tools">{action.tools_used.join(', ')}</Row>}
        {hasFields(action.parameters) && <Block name="parameters" value={action.parameters} />}
      </Section>
      {!isFailed && <ResultSection trace={trace} />}
      <Section name="Metadata" rest={restOf(metadata, ['mode', 'tags', 'linked_traces'])}>
        <Row name="mode">
          <Filter field="mode" value={metadata.mode} />
        </Row>
        {metadata.tags.length > 0 && (
          <Row name="tags">
            {metadata.tags.map((tag) => (
              <Filter key={tag} field="tag" value={tag} />
            ))}
          </Row>
        )}
      </Section>
    </>
  )
}

function ResultSection({ trace }: { trace: Trace }) {
  const { result } = trace
  return (
    <Section name="Result" rest={result ? restOf(result, ['success', 'outcome', 'side_effects']) : {}}>
      <Row name="outcome">
        <Mark mark={outcomeOf(trace)} word />
      </Row>
      {!result && <p class="faint">Stored without a result; it can be completed later.</p>}
      {result && hasFields(result.outcome) && <Block name="" value={result.outcome} />}
      {result && result.side_effects.length > 0 && <Block name="side effects" value={result.side_effects} />}
    </Section>
  )
}

function Filter({ field, value }: { field: TraceField; value: string }) {
  return <FilterButton view="traces" field={field} value={value} />
}
