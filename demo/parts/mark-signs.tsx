// The signs of what was said of a record: small pictures, each with its word for whoever does not see it or asks.
import { signsOf } from '../kind/marked.ts'
import type { Marks, Sensitivity } from '../kind/record-kind.ts'
import { Icon } from './icon.tsx'

interface MarkSignsProps {
  readonly marks: Marks
  readonly sensitivity?: Sensitivity | undefined
  readonly word?: boolean
}

export function MarkSigns({ marks, sensitivity, word = false }: MarkSignsProps) {
  const signs = signsOf(marks, sensitivity)
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
