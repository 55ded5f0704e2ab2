// Stores traces from pasted JSON. On an error the text stays in the box, with the place of the error.
import { TextArea } from '../../parts/field/form-field.tsx'
import { useSignal } from '@preact/signals'
import { useUnmountSignal, useSubmit } from '../../parts/hook.ts'
import { go } from '../../state/address.ts'
import { openedBook } from '../../state/book.ts'
import { closeDialog } from '../../state/dialog.ts'
import { exampleTrace, storeJson } from '../../state/record/store-json.ts'
import { reloadList } from '../../state/list/record-list.ts'
import { tell } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { ExampleButton, OpeningNote } from '../shell/opening-note.tsx'
import { FormDialog } from '../../parts/dialog.tsx'

export function PasteDialog() {
  const text = useSignal('')
  const unmounted = useUnmountSignal()
  const { failure, isBusy, submit } = useSubmit(async () => {
    const ids = await storeJson(await openedBook(unmounted), text.value)
    closeDialog()
    await reloadList()
    tell(`${countOf(ids.length, 'trace')} stored.`)
    go({ view: 'traces', id: ids[0] })
  })
  return (
    <FormDialog
      title="Paste a trace as JSON"
      wide
      onClose={closeDialog}
      act="Store"
      onAct={submit}
      isReady={!isBusy && text.value.trim() !== ''}
      failed="Not stored."
      failure={failure}
      tools={<ExampleButton text={exampleTrace} into={text} />}
    >
      <TextArea
        label="One trace, a list of traces, or an object with a list named “traces”"
        of={text}
        class="input code-input"
        rows={14}
        spellcheck={false}
      />
      <OpeningNote />
    </FormDialog>
  )
}
