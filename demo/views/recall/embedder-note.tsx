// How the embedder of the book stands, in one line under a recall: none, which one, how far it is.
import type { Daybook } from '../../../src/index.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { book } from '../../state/book.ts'
import { asking } from '../../state/recall.ts'
import { countWord } from '../../wording/text-word.ts'

export function EmbedderNote() {
  const { value: status } = useAnswer(async () => book.peek()?.embedder.status(), [book.value, asking.value])
  if (!status) return null
  return <p class="embedder-note faint">{words(status)}</p>
}

type Status = Awaited<ReturnType<Daybook['embedder']['status']>>

function words({ provider, model, state, total, embedded, behind, lastError, why }: Status): string {
  if (state === 'off') return 'Keyword recall only (no embedder configured). Nothing leaves this browser.'
  const name = model === undefined ? provider : `${provider} (${model})`
  const how = `${countWord(embedded)} of ${countWord(total)} records have a vector`
  const also = why ?? lastError?.message
  return `Embedder ${name}: ${state}, ${how}${behind > 0 ? `, ${countWord(behind)} to go` : ''}.${also === undefined ? '' : ` ${also}`}`
}
