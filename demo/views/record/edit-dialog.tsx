// Edits the content of a record as JSON. What is refused stays in the box, with the path of the error.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { contentOf, edited, saveEdit } from '../../state/act/edit.ts'
import { closeDialog } from '../../state/dialog.ts'

export function EditDialog() {
  const now = edited.peek()
  const text = useSignal(now ? contentOf(now.record) : '')
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const id = useId()
  if (!now) return null
  const isChanged = text.value !== contentOf(now.record)
  const save = async (event: Event) => {
    event.preventDefault()
    if (isBusy.peek() || !isChanged) return
    isBusy.value = true
    error.value = undefined
    try {
      await saveEdit(now, text.value)
      closeDialog()
    } catch (failure) {
      error.value = failure
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={`Edit this ${now.kind.one}`} onClose={closeDialog} wide>
      <form class="fields-form" onSubmit={(event) => void save(event)}>
        <label class="labelled" for={id}>
          Content as JSON
          <textarea
            id={id}
            class="input code-input"
            rows={16}
            spellcheck={false}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save(event)
            }}
          />
        </label>
        {error.value !== undefined && <ErrorNotice title="Not saved." error={error.value} />}
        <p class="faint">The current version stays in the history.</p>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isBusy.value || !isChanged}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}
