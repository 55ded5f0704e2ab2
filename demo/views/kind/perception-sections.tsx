// A perception: a belief about a subject, its confidence, and its expiry.
import type { Perception } from '../../../src/index.ts'
import { Bar } from '../../parts/bar.tsx'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { Time } from '../../parts/inline.tsx'
import { isExpired } from '../../kind/perception-kind.ts'
import { shareWord } from '../../wording/text-word.ts'
import { FilterButton, HeadRows, restOf, Row, Section } from './section.tsx'

const perceptionFields = ['type', 'subject', 'content', 'confidence', 'evidence', 'valid_until']

export function PerceptionSections({ record: perception }: { record: Perception }) {
  const { content, confidence, evidence, subject, type, valid_until: until } = perception
  return (
    <>
      <Section name="Belief" rest={restOf(perception, perceptionFields)}>
        <ClampedText text={content} />
        {subject !== undefined && (
          <Row name="subject">
            <FilterButton view="perceptions" field="subject" value={subject} />
          </Row>
        )}
        <Row name="type">
          <FilterButton view="perceptions" field="type" value={type} />
        </Row>
        <HeadRows record={perception} view="perceptions" />
      </Section>
      <Section name="Confidence">
        <Bar label="confidence" share={confidence} text={shareWord(confidence)} strong />
        {evidence.length === 0 && <p class="faint">No evidence linked</p>}
      </Section>
      <Section name="Validity">
        {until === undefined ? (
          <p>No expiry</p>
        ) : (
          <p>
            {isExpired(perception) ? 'Expired ' : 'Valid until '}
            <Time at={until} />
            {isExpired(perception) && '. It no longer appears in recall and lists.'}
          </p>
        )}
      </Section>
    </>
  )
}
