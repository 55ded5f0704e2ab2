// A state of a record, told by shape and by word: a round tick, an angular cross, an open ring.
import { type MarkName, marks } from '../room/mark.ts'

const shapes: Readonly<Record<MarkName, { readonly path: string; readonly dashes?: string }>> = {
  succeeded: { path: 'M7 .8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 7 .8ZM4.2 7.2l2 2 3.7-4.2' },
  failed: { path: 'M1.3 1.3h11.4v11.4H1.3zM4.5 4.5l5 5M9.5 4.5l-5 5' },
  open: { path: 'M7 .8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 7 .8Z', dashes: '2.6 2.3' },
}

export function Mark({ mark, word = false }: { mark: MarkName; word?: boolean }) {
  const { path, dashes } = shapes[mark]
  return (
    <span class={`mark mark-${marks[mark].tone}`}>
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
        <path d={path} stroke-dasharray={dashes} />
      </svg>
      <span class={word ? undefined : 'hidden'}>{marks[mark].word}</span>
    </span>
  )
}
