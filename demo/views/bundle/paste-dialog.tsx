// Stores traces from pasted JSON. What is refused stays in the box, with the place where it is wrong.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useGone } from '../../parts/use-gone.ts'
import { go } from '../../state/address.ts'
import { openedBook } from '../../state/book.ts'
import { closeDialog } from '../../state/dialog.ts'
import { exampleTrace, storeJson } from '../../state/record/store-json.ts'
import { reloadList } from '../../state/list/record-list.ts'
import { tell } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { OpeningNote } from '../shell/opening-note.tsx'

export function PasteDialog() {
  const text = useSignal('')
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const id = useId()
  const gone = useGone()
  const store = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    error.value = undefined
    try {
      const current = await openedBook(gone)
      const ids = await storeJson(current, text.value)
      closeDialog()
      await reloadList()
      tell(`${countOf(ids.length, 'trace')} stored.`)
      go({ view: 'traces', id: ids[0] })
    } catch (failure) {
      error.value = failure
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title="Paste a trace as JSON" onClose={closeDialog} wide>
      <form class="fields-form" onSubmit={(event) => void store(event)}>
        <label class="labelled" for={id}>
          One trace, a list of traces, or an object with a list named “traces”
          <textarea
            id={id}
            class="input code-input"
            rows={14}
            spellcheck={false}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        {error.value !== undefined && <ErrorNotice title="Not stored." error={error.value} />}
        <OpeningNote />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => (text.value = exampleTrace)}>
            Fill in an example
          </button>
          <span class="spacer" />
          <button type="button" class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isBusy.value || text.value.trim() === ''}>
            Store
          </button>
        </div>
      </form>
    </Dialog>
  )
}
