// Long text of a record: its beginning, and the rest on a click. A click on very long text opens the next piece.
import { useSignal } from '@preact/signals'
import { countWord } from '../wording/text-word.ts'

const shortLength = 700
const shortLines = 14
const pieceLength = 40_000

function beginning(text: string): string {
  let end = -1
  for (let line = 0; line < shortLines; line += 1) {
    end = text.indexOf('\n', end + 1)
    if (end < 0) break
  }
  const cut = Math.min(shortLength, end < 0 ? text.length : end)
  // A little more than the limit is shown whole: a button for one line is worse than the line.
  if (text.length <= cut * 1.2) return text
  // Not between the halves of a surrogate pair.
  const half = text.charCodeAt(cut - 1)
  return text.slice(0, half >= 0xd800 && half < 0xdc00 ? cut - 1 : cut)
}

export function ClampedText({ text, mono = false }: { text: string; mono?: boolean }) {
  const length = useSignal(0)
  const start = beginning(text)
  const isLong = start.length < text.length
  const end = Math.max(start.length, Math.min(text.length, length.value))
  const rest = text.length - end
  return (
    <div class={mono ? 'clamped mono' : 'clamped'}>
      <div class={isLong && rest > 0 ? 'clamped-text is-cut' : 'clamped-text'} dir="auto">
        {text.slice(0, end)}
      </div>
      {isLong && (
        <div class="clamped-more">
          {rest > 0 && (
            <button type="button" class="link" onClick={() => (length.value = end + pieceLength)}>
              {rest > pieceLength ? `Show ${countWord(pieceLength)} more characters` : 'Show all'}
              <span class="faint"> ({countWord(text.length)} characters)</span>
            </button>
          )}
          {length.value > 0 && (
            <button type="button" class="link" onClick={() => (length.value = 0)}>
              Show less
            </button>
          )}
        </div>
      )}
    </div>
  )
}
