// Pins the open record, and takes that back.
import { Icon } from '../../parts/icon.tsx'
import type { BookRecord } from '../../kind/record-kind.ts'
import { togglePin } from '../../state/act/mark.ts'

export function PinButton({ record, one }: { record: BookRecord; one: string }) {
  const isPinned = record.marks?.pinned === true
  return (
    <button
      type="button"
      class="icon-button"
      aria-pressed={isPinned}
      title={`${isPinned ? 'Unpin' : 'Pin'} this ${one} (p)`}
      onClick={() => void togglePin(record)}
    >
      <Icon name="pin" />
      <span class="hidden">Pin this {one}</span>
    </button>
  )
}
