// A note that what is shown has secrets, and the button that reveals them.
import type { ComponentChildren } from 'preact'
import { Icon } from '../../parts/inline.tsx'
import { revealed } from '../../state/record/secret.ts'

interface SecretNoteProps {
  /** The name under which `revealed` has it. */
  readonly id: string
  /** The subject of the sentence. */
  readonly subject?: string
  /** A sentence in its place. */
  readonly children?: ComponentChildren
}

export function SecretNote({ id, subject = 'This text', children }: SecretNoteProps) {
  const isRevealed = revealed.value === id
  return (
    <p class="notice secret-note" role="note">
      <Icon name="lock" size={14} /> {children ?? <>{subject} contains a secret.</>}{' '}
      <button
        type="button"
        class="button small"
        aria-pressed={isRevealed}
        onClick={() => (revealed.value = isRevealed ? undefined : id)}
      >
        {isRevealed ? 'Hide' : 'Reveal'}
      </button>
    </p>
  )
}
