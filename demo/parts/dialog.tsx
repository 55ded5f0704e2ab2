// A modal dialog over the native element: focus stays inside, Esc closes, focus returns to where it was.
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

export function Dialog({ title, onClose, children, wide = false, bare = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog && !dialog.open) dialog.showModal()
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
          <h2 id={titleId}>{title}</h2>
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
