// The signs of what was said of a record: small pictures, each with its word for whoever does not see it or asks.
import { signsOf } from '../kind/marked.ts'
import type { Marks } from '../kind/record-kind.ts'
import { Icon } from './icon.tsx'

export function MarkSigns({ marks, word = false }: { marks: Marks; word?: boolean }) {
  const signs = signsOf(marks)
  if (signs.length === 0) return null
  return (
    <span class="mark-signs">
      {signs.map(({ icon, word: said, short }) => (
        <span key={icon} class="mark-sign" title={said}>
          <Icon name={icon} size={12} />
          {short !== undefined && !word && <span aria-hidden="true">{short}</span>}
          <span class={word ? undefined : 'hidden'}>{said}</span>
        </span>
      ))}
    </span>
  )
}
