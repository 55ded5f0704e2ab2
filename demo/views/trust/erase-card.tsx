// Erasing the book: what goes where, before and after. Its name is typed first.
import { useSignal } from '@preact/signals'
import { Calm } from '../../parts/calm.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Check, TextField } from '../../parts/field/form-field.tsx'
import { bookName } from '../../state/address.ts'
import { openBook } from '../../state/book.ts'
import { status } from '../../state/status.ts'
import { edgeCopy, eraseBook, eraseError, isErasing } from '../../state/trust/seal.ts'

export function EraseCard() {
  const typed = useSignal('')
  const mirror = useSignal(true)
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
        Deletes all records, keys and copies on this device, in all tabs. Nothing brings them back
        {isMirrored && !mirror.value ? ' but the copy at the edge' : ''}: export the book first.
      </p>
      <form class="fields-form" onSubmit={submit}>
        {isMirrored && (
          <>
            <Check of={mirror}>Also delete the copy at the edge, first</Check>
            <div role="status">
              <ul class="plain-list" aria-label="After erasing">
                <li>This device: nothing remains.</li>
                <li>{edgeWords[mirror.value ? 'erased' : 'remains']}</li>
                <li>{deviceWords[mirror.value ? 'erased' : 'remains']}</li>
              </ul>
            </div>
          </>
        )}
        <TextField
          label={
            <span>
              Type <b>{bookName}</b> to confirm
            </span>
          }
          of={typed}
          spellcheck={false}
        />
        <div class="card-row">
          <button type="submit" class="button danger" disabled={!isNamed || isErasing.value}>
            Erase the book
          </button>
        </div>
      </form>
      <ErrorNotice title="The book is as it was." error={eraseError.value} />
      {eraseError.value !== undefined && isMirrored && mirror.value && (
        <p>To erase this device alone, untick the copy at the edge.</p>
      )}
    </section>
  )
}

const edgeWords = {
  erased: 'Edge: nothing remains.',
  remains: 'Edge: its copy remains. It comes back when this book is opened with sync.',
} as const
const deviceWords = {
  erased: 'Other devices: their copies remain, and sync stops. Erase the book there too.',
  remains: 'Other devices: their copies remain, and sync continues.',
} as const

export function ErasedPage() {
  const edge = edgeCopy.value
  const isBack = edge === 'remains'
  return (
    <Calm
      icon="storage"
      title="This book was erased"
      actions={
        <button type="button" class="button primary" onClick={() => void openBook()}>
          {isBack ? 'Open it again from the edge' : 'Start an empty book'}
        </button>
      }
    >
      <ul class="plain-list">
        <li>This device: nothing of “{bookName}” remains.</li>
        {(edge === 'erased' || isBack) && (
          <>
            <li>{edgeWords[edge]}</li>
            <li>{deviceWords[edge]}</li>
          </>
        )}
        {edge === undefined && (
          <li>
            Edge: another tab erased the book, and says whether a copy remains there. A copy comes back when
            this book is opened with sync.
          </li>
        )}
      </ul>
    </Calm>
  )
}
