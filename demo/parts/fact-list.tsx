// Names with their values, as a list of definitions.
import type { ComponentChildren } from 'preact'

/** One name with its value; nothing without a value. */
export function Fact({
  name,
  look,
  children,
}: {
  name: ComponentChildren
  look?: string
  children: ComponentChildren
}) {
  if (children === undefined || children === null || children === false) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd class={look}>{children}</dd>
    </div>
  )
}

export function FactList({ children, look = 'facts' }: { children: ComponentChildren; look?: string }) {
  return <dl class={look}>{children}</dl>
}
