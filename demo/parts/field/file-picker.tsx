// A button that opens the browser's own file picker.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

/** Files that the book imports: trajectories, bundles, transcripts, notes, any of them as JSON. */
const fileTypes = '.traj,.json,.kstar,.jsonl,.md,application/json,application/jsonl,text/markdown'

interface FilePickerProps {
  readonly onFiles: (files: readonly File[]) => void
  readonly children: ComponentChildren
  readonly class?: string
  readonly title?: string
}

export function FilePicker({ onFiles, children, class: className = 'button', title }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class={className} title={title} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        class="hidden"
        type="file"
        multiple
        accept={fileTypes}
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
