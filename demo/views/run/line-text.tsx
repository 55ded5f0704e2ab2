// Text of many lines: the first forty, and all of it when asked for.
import { useSignal } from '@preact/signals'
import { countOf } from '../../wording/text-word.ts'

const shownLines = 40
const shownLength = 6000

function beginning(text: string): string {
  const lines = text.split('\n', shownLines + 1)
  const cut = lines.length > shownLines ? lines.slice(0, shownLines).join('\n') : text
  return cut.length > shownLength ? cut.slice(0, shownLength).toWellFormed() : cut
}

export function LineText({ text, mono = false }: { text: string; mono?: boolean }) {
  const isWhole = useSignal(false)
  const start = beginning(text)
  const isLong = start.length < text.length
  return (
    <div class={mono ? 'clamped mono' : 'clamped'}>
      <div class="clamped-text" dir="auto">
        {isWhole.value ? text : start}
      </div>
      {isLong && (
        <button type="button" class="link" onClick={() => (isWhole.value = !isWhole.value)}>
          {isWhole.value ? 'Show less' : 'Show all'}
          {!isWhole.value && <span class="faint"> ({countOf(text.split('\n').length, 'line')})</span>}
        </button>
      )}
    </div>
  )
}
