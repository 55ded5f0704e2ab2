// Edits the content of a record as JSON. On an error the text stays in the box, with the path of the error.
import { useSignal } from '@preact/signals'
import { contentOf, edited, saveEdit } from '../../state/act/edit.ts'
import { closeDialog } from '../../state/dialog.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { TextArea } from '../../parts/field/form-field.tsx'
import { useSubmit } from '../../parts/hook.ts'

export function EditDialog() {
  const now = edited.peek()
  const before = now ? contentOf(now.record) : ''
  const text = useSignal(before)
  const { failure, isBusy, submit } = useSubmit(async () => {
    if (!now || text.peek() === before) return
    await saveEdit(now, text.peek())
    closeDialog()
  })
  if (!now) return null
  return (
    <FormDialog
      title={`Edit this ${now.kind.one}`}
      wide
      onClose={closeDialog}
      act="Save"
      onAct={submit}
      isReady={!isBusy && text.value !== before}
      failed="Not saved."
      failure={failure}
    >
      <TextArea
        label="Content as JSON"
        of={text}
        class="input code-input"
        rows={16}
        spellcheck={false}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          void submit()
        }}
      />
      <p class="faint">The current version stays in the history.</p>
    </FormDialog>
  )
}
