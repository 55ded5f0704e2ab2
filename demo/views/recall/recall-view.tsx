// The recall playground: a question, its hits with reasons, and a comparison with another question or other options.
import { moveFocus } from '../../parts/list-part.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { address, go } from '../../state/address.ts'
import { type Answer, ask, asking, compared, compareWith, suggestions } from '../../state/recall.ts'
import { legWord, wholeWord } from '../../wording/hit-word.ts'
import { countOf, countWord, oneLine } from '../../wording/text-word.ts'
import { duration } from '../../wording/time-word.ts'
import { WhyNotFound } from './why-not-found.tsx'
import { ContextPanel } from './context-panel.tsx'
import { LegTable, RecallHitView } from './hit-view.tsx'
import { QuestionForm } from './question-form.tsx'
import { RecordDetailView } from '../record/record-detail-view.tsx'
import { Tabs } from '../shell/page.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { questionInput } from '../../state/act/focus.ts'
import { compareHits, type HitChange, isChanged, rankedHit } from '../../wording/hit-change.ts'
import { HitChangeTable } from '../kind/hit-change-table.tsx'
import type { Daybook } from '../../../src/index.ts'
import { useAnswer } from '../../parts/hook.ts'
import { book } from '../../state/book.ts'

export function RecallView() {
  const now = asking.value
  return (
    <div class={address.value.id === undefined ? 'panes' : 'panes has-detail'}>
      <h1 id="recall-title" class="hidden">
        Recall
      </h1>
      <section class="pane list-pane" aria-labelledby="recall-title">
        <header class="pane-head">
          <Tabs />
          <QuestionForm />
        </header>
        {address.value.view === 'context' ? (
          <div class="scroll">
            <ContextPanel />
          </div>
        ) : (
          <div class="scroll" aria-busy={now.state === 'asking'}>
            {now.state === 'idle' && <Suggestions />}
            {now.state === 'failed' && (
              <ErrorNotice title="The question could not be asked." error={now.error} retry={ask} />
            )}
            {now.state === 'answered' && <AnswerView answer={now.answer} />}
          </div>
        )}
        <EmbedderNote />
      </section>
      <RecordDetailView />
    </div>
  )
}

function AnswerView({ answer }: { answer: Answer }) {
  const { question, result, roundTripMs } = answer
  const { hits, legs, degraded, durationMs } = result
  const candidates = Object.entries(legs)
  return (
    <>
      <div class="list-head" role="status">
        <p class="list-count">
          <b>{countOf(hits.length, 'hit')}</b>
          {result.complete !== undefined && ` · ${wholeWord(result.want, result.complete)}`}
          <span
            class="faint"
            title={`${duration(durationMs)} in the engine, ${duration(roundTripMs)} from call to answer in this page`}
          >
            {' '}
            ·{' '}
            {candidates
              .map(([leg, found]) => `${legWord(leg)}: ${countOf(found, 'candidate')}`)
              .join(' · ')}{' '}
            · {duration(roundTripMs)}
          </span>
        </p>
      </div>
      <Comparison answer={answer} />
      <WhyNotFound />
      {degraded.length > 0 && (
        <div class="notice warn">
          <div class="notice-text">
            <p class="notice-title">Results may be incomplete</p>
            {degraded.map((reason) => (
              <p key={reason}>{reason}</p>
            ))}
          </div>
        </div>
      )}
      {hits.length === 0 ? (
        <EmptyNote title="Nothing in this book answers that.">
          <p>
            Recall returns nothing rather than the least bad: a trace that shares only common words with the
            question is no answer. Name what it was about, who did it, or when.
          </p>
        </EmptyNote>
      ) : address.value.view === 'legs' ? (
        <LegTable result={result} />
      ) : (
        <ol
          class="hits"
          aria-label={`Hits for ${question}`}
          onKeyDown={(event) => void moveFocus(event, '.hit-open')}
        >
          {hits.map((hit, i) => (
            <RecallHitView key={hit.record.id} hit={hit} rank={i + 1} all={hits} />
          ))}
        </ol>
      )}
    </>
  )
}

/** Questions made from the newest goals of the book itself. */
function Suggestions() {
  const goals = suggestions.value
  return (
    <EmptyNote title="Ask a question">
      <p>
        Recall finds what is relevant to a question in plain words and says why: how much of the question each
        record has, how strongly, and how recent it is. No model is involved and nothing leaves this browser.
      </p>
      {goals.length > 0 && (
        <ul class="suggestions" aria-label="From your newest traces">
          {goals.map((goal) => (
            <li key={goal}>
              <button type="button" class="button" onClick={() => go({ question: goal })}>
                {goal}
              </button>
            </li>
          ))}
        </ul>
      )}
    </EmptyNote>
  )
}

function Comparison({ answer }: { answer: Answer }) {
  const before = compared.value
  const keep = () => {
    compareWith(answer)
    questionInput.current?.select()
    questionInput.current?.focus()
  }
  if (!before)
    return answer.result.hits.length === 0 ? null : (
      <p class="comparison">
        <button type="button" class="link" onClick={keep}>
          Compare with another question
        </button>
      </p>
    )
  return (
    <section class="comparison" aria-label="Comparison">
      <p>
        {before === answer ? 'Ask something else, or change an option, to see what differs from' : 'Beside'}{' '}
        <b>{oneLine(before.question, 90)}</b>.{' '}
        <button type="button" class="link" onClick={() => compareWith(undefined)}>
          Stop comparing
        </button>
      </p>
      {before !== answer && <Difference before={before} answer={answer} />}
    </section>
  )
}

function Difference({ before, answer }: { before: Answer; answer: Answer }) {
  const changes = compareHits(before.result.hits.map(rankedHit), answer.result.hits.map(rankedHit))
  if (!changes.some(isChanged)) return <p>Both find the same records in the same order.</p>
  const records = new Map(
    [...before.result.hits, ...answer.result.hits].map(({ record }) => [record.id, record]),
  )
  const nameOf = ({ id, kind }: HitChange) => {
    const record = records.get(id)
    return record ? oneLine(kindNamed(kind)?.row(record).title ?? id, 80) : id
  }
  return <HitChangeTable label="Before and now" then="Before" changes={changes} nameOf={nameOf} />
}

function EmbedderNote() {
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
