// The context of a question for a prompt: the packed text with its tokens against the budget, each piece, and excluded hits.
import { PlainTable } from '../../parts/table.tsx'
import { type Signal, useSignal } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import { Bar } from '../../parts/bar.tsx'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useAnswer } from '../../parts/hook.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../../state/address.ts'
import { book } from '../../state/book.ts'
import { packed, recallTurn } from '../../state/recall.ts'
import { maskedCopy, revealed } from '../../state/record/secret.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { SecretNote } from '../record/secret-note.tsx'
import { countOf, countWord } from '../../wording/text-word.ts'

/** The number of hits that a context is packed from. */
const limit = 50
/** Its name where secrets are revealed. */
const contextName = 'context'
const budgets = [250, 500, 1500, 4000, 12_000]

type Packed = Awaited<ReturnType<typeof pack>>

/** Packs the context, and recalls the same hits for their titles. */
async function pack(open: Daybook, question: string, budgetTokens: number) {
  const [context, { hits }] = await Promise.all([
    open.context({ text: question, budgetTokens, limit }),
    open.recall({ text: question, limit }),
  ])
  const answer = { ...context, hits }
  return { answer, seen: await maskedCopy(open, answer) }
}

export function ContextPanel() {
  const budget = useSignal(1500)
  const { question } = address.value
  const hasQuestion = question.trim() !== ''
  const { value, error } = useAnswer(
    async () => {
      const open = book.peek()
      return hasQuestion && open ? pack(open, question, budget.value) : undefined
    },
    [question, budget.value, book.value, recallTurn.value],
    { follows: false },
  )
  packed.ids = value?.answer.items.map(({ id }) => id) ?? []
  if (error !== undefined) return <ErrorNotice title="The context could not be packed." error={error} />
  if (value) return <Context {...value} budget={budget} />
  if (hasQuestion) return <div class="list-wait" aria-busy="true" />
  return (
    <EmptyNote title="Ask a question">
      <p>This is where the context for a prompt appears: quoted evidence within a token budget.</p>
    </EmptyNote>
  )
}

/** `seen` is for the eye; the copy button takes `answer`. */
function Context({ answer, seen, budget }: Packed & { budget: Signal<number> }) {
  const shown = revealed.value === contextName ? answer : seen
  const { items, text, tokens, hits } = shown
  const titles = new Map(hits.map(({ record }) => [record.id, kindNamed(record.kind)?.row(record).title]))
  const titleOf = (id: string) => titles.get(id) ?? id
  const packedIds = new Set(items.map(({ id }) => id))
  const excluded = hits.filter(({ record }) => !packedIds.has(record.id))
  return (
    <div class="context">
      <label class="context-budget">
        Budget{' '}
        <select
          class="input small"
          value={String(budget.value)}
          onChange={(event) => (budget.value = Number(event.currentTarget.value))}
        >
          {budgets.map((one) => (
            <option key={one} value={String(one)}>
              {countWord(one)} tokens
            </option>
          ))}
        </select>
      </label>
      <Bar
        label="used"
        share={tokens / budget.value}
        text={countWord(tokens)}
        title="Estimated tokens of the whole text"
        strong
      />
      <p role="status">{summaryOf(answer)}</p>
      {seen !== answer && <SecretNote id={contextName} subject="This context" />}
      {items.length > 0 && (
        <PlainTable heads={['Record', 'Lane', 'Score', 'Tokens']}>
          {items.map(({ id, kind, lane, score, tokens: count, cut }) => (
            <tr key={id}>
              <th scope="row">
                <RecordLink id={id} kind={kind} title={titleOf(id)} />
              </th>
              <td>{lane}</td>
              <td>{score.toFixed(2)}</td>
              <td>
                {countWord(count)}
                {cut && <span class="cite-rests"> cut</span>}
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
      {excluded.length > 0 && (
        <details>
          <summary>Excluded</summary>
          <PlainTable heads={['Record', 'Score']}>
            {excluded.map(({ record: { id, kind }, score }) => (
              <tr key={id}>
                <th scope="row">
                  <RecordLink id={id} kind={kind} title={titleOf(id)} />
                </th>
                <td>{score.toFixed(2)}</td>
              </tr>
            ))}
          </PlainTable>
        </details>
      )}
      {text !== '' && (
        <>
          <ClampedText text={text} mono />
          <div>
            <CopyButton text={answer.text} of="context" word />
          </div>
        </>
      )}
    </div>
  )
}

function summaryOf({ items, overflow }: Packed['answer']): string {
  const done = `${countOf(items.length, 'record')} packed`
  if (overflow.hits === 0) return `${done}; everything fits.`
  const lanes = Object.entries(overflow.lanes).flatMap(([lane, count]) =>
    count > 0 ? [`${lane} ${count}`] : [],
  )
  return `${done}; ${countOf(overflow.hits, 'hit')} over budget${lanes.length > 0 ? ` (${lanes.join(', ')})` : ''}.`
}

function RecordLink({ id, kind, title }: { id: string; kind: string; title: string }) {
  return (
    <button type="button" class="link context-record" title={id} onClick={() => openRecord({ id, kind })}>
      <span class="faint">{kindNamed(kind)?.one ?? kind}</span> {title.slice(0, 120)}
    </button>
  )
}
