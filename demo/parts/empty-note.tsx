// A note for an empty place: its purpose, and how to fill it.
import type { ComponentChildren } from 'preact'

export function EmptyNote({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty-note">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
