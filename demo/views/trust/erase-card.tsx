// The card at the end of the view of storage: the whole book is erased when its name is typed, and not before.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { bookName } from '../../state/address.ts'
import { status } from '../../state/status.ts'
import { eraseBook, eraseError, isErasing } from '../../state/trust/erase.ts'

export function EraseCard() {
  const typed = useSignal('')
  const mirror = useSignal(false)
  const id = useId()
  const isMirrored = status.value?.sync.configured === true
  const isNamed = typed.value === bookName
  const submit = (event: Event) => {
    event.preventDefault()
    if (isNamed && !isErasing.value) void eraseBook(typed.value, isMirrored && mirror.value)
  }
  return (
    <section class="card" aria-label="Erase">
      <h2>Erase this book</h2>
      <p class="quiet">
        Deletes all records, keys and copies on this device, in all tabs. This cannot be undone, so export it
        first.
      </p>
      <form class="fields-form" onSubmit={submit}>
        {isMirrored && (
          <label>
            <input
              type="checkbox"
              checked={mirror.value}
              onChange={(event) => (mirror.value = event.currentTarget.checked)}
            />{' '}
            At its mirror too, and first. Other devices keep their copies and are told.
          </label>
        )}
        <label class="labelled" for={id}>
          <span>
            Type <b>{bookName}</b> to confirm
          </span>
          <input
            id={id}
            class="input"
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </label>
        <div class="card-row">
          <button type="submit" class="button danger" disabled={!isNamed || isErasing.value}>
            Erase the book
          </button>
        </div>
      </form>
      {eraseError.value !== undefined && (
        <ErrorNotice title="The book is as it was." error={eraseError.value} />
      )}
    </section>
  )
}
