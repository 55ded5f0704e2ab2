// The page with one notice and its buttons, in place of a view.
import type { ComponentChildren } from 'preact'
import type { IconName } from '../kind/icon-shape.ts'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './inline.tsx'

interface CalmProps {
  readonly icon: IconName
  readonly title: string
  readonly actions: ComponentChildren
  readonly children: ComponentChildren
  readonly details?: string
}

export function Calm({ icon, title, actions, children, details }: CalmProps) {
  return (
    <section class="calm" role="alert" aria-labelledby="calm-title">
      <div class="calm-body">
        <Icon name={icon} size={28} />
        <h1 id="calm-title">{title}</h1>
        {children}
        <div class="calm-actions">
          {actions}
          {details !== undefined && <CopyButton text={details} of="details" word />}
        </div>
      </div>
    </section>
  )
}
