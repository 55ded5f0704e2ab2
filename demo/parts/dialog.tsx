// Modal dialogs over the native element: plain, with a form, or with a question.
// Invariant: focus starts at the first field, in a question at Cancel, which is harmless; it stays inside, Esc closes,
// and focus returns to its place before.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { ErrorNotice } from './error-notice.tsx'
import { Icon } from './inline.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
  /** The title is for screen readers only. */
  readonly bare?: boolean
  /** It asks before an act: focus starts at Cancel, even if it has fields. */
  readonly asks?: boolean
}

const fields = 'input:not(:disabled, .hidden), select:not(:disabled), textarea:not(:disabled)'

/** The element that gets focus first: a field unless it `asks`, else a button, else the title. */
function firstOf(dialog: HTMLDialogElement, asks: boolean): HTMLElement | null {
  const body = dialog.querySelector('.dialog-body')
  return (
    (asks ? null : body?.querySelector<HTMLElement>(fields)) ??
    body?.querySelector<HTMLElement>('.dialog-actions button:not(:disabled)') ??
    dialog.querySelector<HTMLElement>('h2')
  )
}

export function Dialog({ title, onClose, children, wide = false, bare = false, asks = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog && !dialog.open) {
      dialog.showModal()
      firstOf(dialog, asks)?.focus()
    }
    return () => dialog?.close()
  }, [])
  const closeFromShade = (event: MouseEvent) => {
    if (event.target === element.current) onClose()
  }
  return (
    <dialog
      ref={element}
      class={`dialog${wide ? ' wide' : ''}${bare ? ' bare' : ''}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={closeFromShade}
    >
      <div class="dialog-body">
        <header class={bare ? 'hidden' : 'dialog-head'}>
          <h2 id={titleId} tabIndex={-1}>
            {title}
          </h2>
          {!bare && (
            <button type="button" class="icon-button" onClick={onClose} title="Close (Esc)">
              <Icon name="close" />
              <span class="hidden">Close</span>
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  )
}

interface ActProps extends DialogProps {
  /** The word of the button that acts. */
  readonly act: ComponentChildren
  readonly onAct: () => unknown
  /** The act deletes something. */
  readonly isDanger?: boolean
}

/** Asks before an act. Focus starts at Cancel. */
export function Question({ act, onAct, isDanger = false, children, ...dialog }: ActProps) {
  return (
    <Dialog {...dialog} asks>
      {children}
      <div class="dialog-actions">
        <CancelButton onClose={dialog.onClose} />
        <button
          type="button"
          class={isDanger ? 'button danger' : 'button primary'}
          onClick={() => void onAct()}
        >
          {act}
        </button>
      </div>
    </Dialog>
  )
}

interface FormDialogProps extends ActProps {
  readonly isReady?: boolean
  /** The error of the last try, and the title of its notice. */
  readonly failure?: unknown
  readonly failed?: string
  /** Buttons before Cancel. */
  readonly tools?: ComponentChildren
}

/** A form with its fields, its error, and its buttons. */
export function FormDialog(props: FormDialogProps) {
  const { act, onAct, isDanger = false, isReady = true, failure, failed = '', tools, children } = props
  const { title, onClose, wide = false } = props
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        class="fields-form"
        onSubmit={(event) => {
          event.preventDefault()
          void onAct()
        }}
      >
        {children}
        <ErrorNotice title={failed} error={failure} />
        <div class="dialog-actions">
          {tools && (
            <>
              {tools}
              <span class="spacer" />
            </>
          )}
          <CancelButton onClose={onClose} />
          <button type="submit" class={isDanger ? 'button danger' : 'button primary'} disabled={!isReady}>
            {act}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function CancelButton({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" class="button" onClick={onClose}>
      Cancel
    </button>
  )
}
