// A fact: its data, what it was checked against, and the chain of facts that stand in each other's place.
import { Icon } from '../../../parts/icon.tsx'
import { ValueView } from '../../../parts/value-view.tsx'
import type { ShownFact } from '../../../kind/fact-kind.ts'
import { FactChain } from './fact-chain.tsx'
import { FactCheck } from './fact-check.tsx'
import { FilterButton, HeadRows, restOf, Row, Section } from '../section.tsx'

const known = ['schema', 'data', 'source', 'verified', 'schema_version', 'supersedes', 'isSuperseded']

export function FactSections({ record: fact }: { record: ShownFact }) {
  return (
    <>
      {fact.isSuperseded && (
        <p class="notice warn">
          <Icon name="alert" /> Superseded by another fact. It no longer appears in recall and lists.
        </p>
      )}
      <Section name="Data" rest={restOf(fact, known)}>
        <ValueView value={fact.data} depth={1} />
      </Section>
      <Section name="Source">
        <Row name="schema">
          <FilterButton view="facts" field="schema" value={fact.schema} />
        </Row>
        <Row name="source">
          {fact.source === undefined ? (
            <span class="faint">not said</span>
          ) : (
            <FilterButton view="facts" field="source" value={fact.source} />
          )}
        </Row>
        <Row name="verified">{fact.verified ? 'yes' : 'no'}</Row>
        <HeadRows record={fact} view="facts" />
      </Section>
      <FactCheck fact={fact} />
      <FactChain fact={fact} />
    </>
  )
}
