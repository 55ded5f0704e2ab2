// What a place says while it has nothing: what would be there, and how to make it.
import type { ComponentChildren } from 'preact'

export function EmptyNote({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty-note">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
