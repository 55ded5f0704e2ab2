// An icon in the colour of the text around it. Always beside a word or a label.
import { type IconName, iconShapes } from '../kind/icon-shape.ts'

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={iconShapes[name]} />
    </svg>
  )
}
