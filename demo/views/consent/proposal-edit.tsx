// What will be remembered in place of what was proposed, which stays in sight above.
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import {
  approve,
  cancelEdit,
  contentBox,
  editFailure,
  type Edits,
  edits,
  foundHidden,
  isSeen,
} from '../../state/consent/review.ts'
import { CategoryField, SensitivityField, TypeField } from './memory-field.tsx'

export function ProposalEdit() {
  const now = edits.value
  if (!now) return null
  const change = (some: Partial<Edits>) => {
    edits.value = { ...now, ...some }
    foundHidden.value = []
    isSeen.value = false
  }
  return (
    <form
      class="fields-form proposal-edit"
      aria-label="Edit, then approve"
      onSubmit={(event) => {
        event.preventDefault()
        void approve()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          cancelEdit()
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          void approve()
        }
      }}
    >
      <label class="labelled">
        Remember instead
        <textarea
          ref={contentBox}
          class="input"
          rows={3}
          required
          dir="auto"
          value={now.content}
          onInput={({ currentTarget }) => change({ content: currentTarget.value })}
        />
      </label>
      <div class="field-row">
        <CategoryField value={now.category} onChange={(category) => change({ category })} />
        <TypeField value={now.memory_type} onChange={(memory_type) => change({ memory_type })} />
        <SensitivityField value={now.sensitivity} onChange={(sensitivity) => change({ sensitivity })} />
      </div>
      {editFailure.value !== undefined && (
        <ErrorNotice title="The changes were not approved." error={editFailure.value} />
      )}
      <div class="decision">
        <button type="submit" class="button primary">
          Approve with changes <KeyCap name="Ctrl Enter" />
        </button>
        <button type="button" class="button" onClick={cancelEdit}>
          Cancel <KeyCap name="Esc" />
        </button>
      </div>
    </form>
  )
}
