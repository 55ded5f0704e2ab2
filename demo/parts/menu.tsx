// A button with a menu below it. The menu closes on Escape and on a press outside; focus returns to the button.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { IconName } from '../kind/icon-shape.ts'
import { Icon } from './inline.tsx'

interface MenuProps {
  readonly icon: IconName
  readonly word: string
  /** The name of the menu for screen readers. */
  readonly label: string
  readonly children: (close: () => void) => ComponentChildren
}

export function Menu({ icon, word, label, children }: MenuProps) {
  const isOpen = useSignal(false)
  const opener = useRef<HTMLButtonElement>(null)
  const close = () => {
    isOpen.value = false
    opener.current?.focus()
  }
  return (
    <div class="menu-place">
      <button
        ref={opener}
        type="button"
        class="button small quiet"
        aria-expanded={isOpen.value}
        aria-haspopup="dialog"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name={icon} size={14} />
        {word}
      </button>
      {isOpen.value && (
        <OpenMenu label={label} onClose={close}>
          {children(close)}
        </OpenMenu>
      )}
    </div>
  )
}

interface OpenMenuProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

function OpenMenu({ label, onClose, children }: OpenMenuProps) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    frame.current?.querySelector<HTMLElement>('select, input')?.focus()
    const closeOutside = (event: PointerEvent) => {
      const isInside = event.target instanceof Node && frame.current?.parentElement?.contains(event.target)
      if (!isInside) onClose()
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [])
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  return (
    <div ref={frame} class="menu" role="dialog" aria-label={label} onKeyDown={closeOnEscape}>
      {children}
    </div>
  )
}
