// A text of somebody else, with what nobody sees in it shown as marks. Text is text: nothing in it is markup.
import { type Hidden, piecesOf } from '../wording/hidden-word.ts'

export function HiddenText({ text, hidden }: { text: string; hidden: readonly Hidden[] }) {
  return (
    <bdi class="hidden-text" dir="auto">
      {piecesOf(text, hidden).map((piece, i) =>
        piece.kind === 'text' ? (
          <span key={i}>{piece.text}</span>
        ) : (
          <mark key={i} class="hidden-mark">
            {piece.note}
          </mark>
        ),
      )}
    </bdi>
  )
}
