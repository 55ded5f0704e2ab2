// The recall playground: a question, the hits, and for each hit why it was returned.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { address, go } from '../../state/address.ts'
import { type Answer, ask, asking, suggestions } from '../../state/recall.ts'
import { legWord } from '../../wording/hit-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { duration } from '../../wording/time-word.ts'
import { Comparison } from './comparison.tsx'
import { ContextPanel } from './context-panel.tsx'
import { EmbedderNote } from './embedder-note.tsx'
import { LegTable } from './leg-table.tsx'
import { QuestionForm } from './question-form.tsx'
import { RecallHitView } from './recall-hit-view.tsx'
import { RecordDetailView } from '../record/record-detail-view.tsx'
import { Tabs } from '../shell/tabs.tsx'

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
              <ErrorNotice
                title="The question could not be asked."
                error={now.error}
                retry={() => void ask()}
              />
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
  const { hits, legs, degraded, took } = result
  const candidates = Object.entries(legs)
  return (
    <>
      <div class="list-head" role="status">
        <p class="list-count">
          <b>{countOf(hits.length, 'hit')}</b>
          <span
            class="faint"
            title={`${duration(took)} in the engine, ${duration(roundTripMs)} from call to answer in this page`}
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
        <ol class="hits" aria-label={`Hits for ${question}`} onKeyDown={moveBetweenHits}>
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

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** Arrows and j/k go from hit to hit, as they do in the list of traces. */
function moveBetweenHits(event: KeyboardEvent): void {
  const step = steps[event.key]
  const list = event.currentTarget
  if (step === undefined || !(list instanceof HTMLElement)) return
  const hits = [...list.querySelectorAll<HTMLElement>('.hit-open')]
  const at = hits.findIndex((hit) => hit === document.activeElement)
  hits[Math.max(0, Math.min(hits.length - 1, at + step))]?.focus()
  event.preventDefault()
}
