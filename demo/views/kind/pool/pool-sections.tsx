// A proposal, a vote, a decision or an agent where records of any kind are open: its fields as they are.
import { ValueView } from '../../../parts/value-view.tsx'
import type { BookRecord } from '../../../kind/record-kind.ts'
import { restOf, Section } from '../section.tsx'

export function PoolSections({ record }: { record: BookRecord }) {
  return (
    <Section name="Fields">
      <ValueView value={restOf(record, [])} depth={1} />
    </Section>
  )
}

/** These have no list of their own. */
export const NoPoolList = () => null
