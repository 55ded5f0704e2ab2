// Files may be dropped anywhere on the page; while some hover over it, it says so.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Icon } from './inline.tsx'

export function DropTarget({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const isOver = useSignal(false)
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
      isOver.value = true
    }
    const leave = (event: DragEvent) => {
      // Only when it leaves the window, not one element for another.
      if (event.relatedTarget === null) isOver.value = false
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      isOver.value = false
      onFiles([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [onFiles])
  if (!isOver.value) return null
  return (
    <div class="drop-target" aria-hidden="true">
      <p>
        <Icon name="import" size={24} />
        Drop to import into this book
      </p>
    </div>
  )
}
