// In the pane of a record that a search found: where it matched, with its words marked.
import { address } from '../../state/address.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { metPieces } from '../../wording/passage-word.ts'
import { Section } from '../kind/section.tsx'

/** There is more space than in a row. */
const lead = 100

export function MetSection({ record }: { record: BookRecord }) {
  const { search } = address.value
  const pieces = search.trim() === '' ? [] : metPieces(record, search, lead)
  if (pieces.length === 0) return null
  return (
    <Section name="Search match">
      <blockquote class="quoted" dir="auto">
        {pieces.map(({ text, isMatch }, i) => (isMatch ? <mark key={i}>{text}</mark> : text))}
      </blockquote>
    </Section>
  )
}
