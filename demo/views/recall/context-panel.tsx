// What a question would bring into a prompt: the packed text with its tokens against the budget, each piece, what was cut.
import { useSignal } from '@preact/signals'
import { Bar } from '../../parts/bar.tsx'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../../state/address.ts'
import { book } from '../../state/book.ts'
import { packed, recallTurn } from '../../state/recall.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { countOf, countWord } from '../../wording/text-word.ts'

/** As many hits as a context is packed from. */
const limit = 50
const budgets = [250, 500, 1500, 4000, 12_000]

export function ContextPanel() {
  const budgetTokens = useSignal(1500)
  const { question } = address.value
  const { value: answer, error } = useAnswer(
    async () => {
      const open = book.peek()
      if (question.trim() === '' || !open) return undefined
      const [context, { hits }] = await Promise.all([
        open.context({ text: question, budgetTokens: budgetTokens.value, limit }),
        open.recall({ text: question, limit }),
      ])
      return { ...context, hits }
    },
    [question, budgetTokens.value, book.value, recallTurn.value],
    { follows: false },
  )
  packed.ids = answer?.items.map(({ id }) => id) ?? []
  if (error !== undefined) return <ErrorNotice title="The context could not be packed." error={error} />
  if (!answer) {
    return question.trim() === '' ? (
      <EmptyNote title="Ask a question">
        <p>This is where the context for a prompt appears: quoted evidence within a token budget.</p>
      </EmptyNote>
    ) : (
      <div class="list-wait" aria-busy="true" />
    )
  }
  const { items, overflow, text, tokens, hits } = answer
  const records = new Map(hits.map(({ record }) => [record.id, record]))
  const titleOf = (id: string, kind: string) => {
    const record = records.get(id)
    return (record && kindNamed(kind)?.row(record).title) ?? id
  }
  const isPacked = new Set(items.map(({ id }) => id))
  const left = hits.filter(({ record }) => !isPacked.has(record.id))
  const lanes = Object.entries(overflow.lanes).filter(([, count]) => count > 0)
  return (
    <div class="context">
      <label class="context-budget">
        Budget{' '}
        <select
          class="input small"
          value={String(budgetTokens.value)}
          onChange={(event) => (budgetTokens.value = Number(event.currentTarget.value))}
        >
          {budgets.map((budget) => (
            <option key={budget} value={String(budget)}>
              {countWord(budget)} tokens
            </option>
          ))}
        </select>
      </label>
      <Bar
        label="used"
        share={tokens / budgetTokens.value}
        text={countWord(tokens)}
        title="Estimated tokens of the whole text"
        strong
      />
      <p role="status">
        {countOf(items.length, 'record')} packed
        {overflow.hits === 0
          ? '; everything fits.'
          : `; ${countOf(overflow.hits, 'hit')} over budget${
              lanes.length > 0 ? ` (${lanes.map(([lane, count]) => `${lane} ${count}`).join(', ')})` : ''
            }.`}
      </p>
      {items.length > 0 && (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Record</th>
              <th scope="col">Lane</th>
              <th scope="col">Score</th>
              <th scope="col">Tokens</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ id, kind, lane, score, tokens: count, cut }) => (
              <tr key={id}>
                <th scope="row">
                  <RecordLink id={id} kind={kind} title={titleOf(id, kind)} />
                </th>
                <td>{lane}</td>
                <td>{score.toFixed(2)}</td>
                <td>
                  {countWord(count)}
                  {cut && <span class="cite-rests"> cut</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {left.length > 0 && (
        <details>
          <summary>Excluded</summary>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Record</th>
                <th scope="col">Score</th>
              </tr>
            </thead>
            <tbody>
              {left.map(({ record: { id, kind }, score }) => (
                <tr key={id}>
                  <th scope="row">
                    <RecordLink id={id} kind={kind} title={titleOf(id, kind)} />
                  </th>
                  <td>{score.toFixed(2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
      {text !== '' && (
        <>
          <ClampedText text={text} mono />
          <div>
            <CopyButton text={text} what="context" word />
          </div>
        </>
      )}
    </div>
  )
}

function RecordLink({ id, kind, title }: { id: string; kind: string; title: string }) {
  return (
    <button type="button" class="link context-record" title={id} onClick={() => openRecord({ id, kind })}>
      <span class="faint">{kindNamed(kind)?.one ?? kind}</span> {title.slice(0, 120)}
    </button>
  )
}
