// Records of the pool: a confirmed fact with its versions and votes; other kinds as their plain fields.
import { Time } from '../../parts/inline.tsx'
import { type FactRecord, type FactVersion, tallyWord } from '../../kind/pool/pool-record.ts'
import { go } from '../../state/address.ts'
import { ClawName, FactDifference } from '../pool/pool-part.tsx'
import { FilterButton, restOf, Row, Section } from './section.tsx'
import { ValueView } from '../../parts/value-view.tsx'
import type { BookRecord } from '../../kind/record-kind.ts'

const poolFields = [
  'fact',
  'group',
  'home',
  'version',
  'versions',
  'tags',
  'votes',
  'publishedAt',
  'subject',
  'predicate',
  'object',
  'by',
  'claw',
]

export function PoolFactSections({ record: fact }: { record: FactRecord }) {
  const versions = Object.entries(fact.versions)
    .map(([number, one]) => ({ number: Number(number), one }))
    .toSorted((a, b) => b.number - a.number)
  return (
    <>
      <Section name="Fact" rest={restOf(fact, poolFields)}>
        <FactDifference after={fact} />
        <Row name="votes">{tallyWord(fact.votes)}</Row>
        <Row name="publisher">
          <ClawName claw={fact.home} />
        </Row>
        <Row name="tags">
          {fact.tags.map((tag) => (
            <FilterButton key={tag} view="poolFacts" field="tag" value={tag} />
          ))}
        </Row>
        <Row name="id">
          <code>{fact.fact}</code>
        </Row>
      </Section>
      <Section name={`Versions (${versions.length})`}>
        <ol class="chain" reversed>
          {versions.map(({ number, one }, i) => (
            <Version key={number} number={number} one={one} before={versions[i + 1]?.one} />
          ))}
        </ol>
      </Section>
    </>
  )
}

interface VersionProps {
  readonly number: number
  readonly one: FactVersion
  readonly before: FactVersion | undefined
}

function Version({ number, one, before }: VersionProps) {
  return (
    <li class="chain-link">
      <p class="chain-head">
        <b>Version {number}</b>
        <span class="faint">
          <Time at={one.publishedAt} />
        </span>
        <button type="button" class="link" onClick={() => go({ view: 'pool', chips: [], id: one.proposal })}>
          Decided {tallyWord(one)}
          <span class="hidden">, open the votes on version {number}</span>
        </button>
      </p>
      <FactDifference before={before} after={one} />
    </li>
  )
}

export function PoolSections({ record }: { record: BookRecord }) {
  return (
    <Section name="Fields">
      <ValueView value={restOf(record, [])} depth={1} />
    </Section>
  )
}
