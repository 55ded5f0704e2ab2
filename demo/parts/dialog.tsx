// A modal dialog over the native element: focus begins at the first field or else the first act, stays inside, Esc closes,
// and it returns to where it was.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
  /** Leaves the title to screen readers. */
  readonly bare?: boolean
}

const fields = 'input:not(:disabled, .hidden), select:not(:disabled), textarea:not(:disabled)'

/** Where one begins in a dialog: what is to be filled in, else the first act, which takes nothing away, else its text. */
function firstOf(dialog: HTMLDialogElement): HTMLElement | null {
  const body = dialog.querySelector('.dialog-body')
  return (
    body?.querySelector<HTMLElement>(fields) ??
    body?.querySelector<HTMLElement>('.dialog-actions button:not(:disabled)') ??
    dialog.querySelector<HTMLElement>('h2')
  )
}

export function Dialog({ title, onClose, children, wide = false, bare = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog && !dialog.open) {
      dialog.showModal()
      firstOf(dialog)?.focus()
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
