// Closes the open record, and what that record is called here.
import { Icon } from '../../parts/icon.tsx'
import { go, listedKind } from '../../state/address.ts'
import { detail } from '../../state/record/record-detail.ts'

/** What a record is called here: by its kind, and where any may be open, a record. */
export function nameOf(): string {
  const now = detail.value
  return (now.state === 'shown' ? now.shown.kind.one : listedKind.value?.one) ?? 'record'
}

/** An arrow back to the list where the pane covers it, a cross where it stands beside it. */
export function CloseButton({ kind }: { kind: 'back' | 'close' }) {
  return (
    <button
      type="button"
      class={`icon-button ${kind}-button`}
      onClick={() => go({ id: undefined })}
      title="Close (Esc)"
    >
      <Icon name={kind} />
      <span class="hidden">Close this {nameOf()}</span>
    </button>
  )
}
