// The button that closes the open record.
import { Icon } from '../../parts/inline.tsx'
import { go, listedKind } from '../../state/address.ts'
import { detail } from '../../state/record/record-detail.ts'

/** The word for the open record: its kind, or `record` where any kind may be open. */
export function nameOf(): string {
  const now = detail.value
  return (now.state === 'shown' ? now.shown.kind.one : listedKind.value?.one) ?? 'record'
}

/** An arrow back where the pane covers the list, a cross where the pane is beside it. */
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
