// The open proposal: its text with hidden characters, the decision, edits, facts, evidence and related records.
import { useEffect } from 'preact/hooks'
import { KeyCap, Time } from '../../parts/inline.tsx'
import { memoryTypes, sensitivities } from '../../kind/view-field.ts'
import { decided, type Evidence, isOver, type Waiting } from '../../state/consent/queue.ts'
import {
  approve,
  cancelEdit,
  cardHeading,
  contentBox,
  editFailure,
  edits,
  type Edits,
  foundHidden,
  isDeciding,
  isSettled,
  isSeen,
  onCardDrawn,
  reject,
  seenBox,
  startEdit,
} from '../../state/consent/review.ts'
import { type Hidden, piecesOf } from '../../wording/hidden-word.ts'
import { scopeWord } from '../../wording/policy-word.ts'
import { countWord, shareWord, shortId, valueLine } from '../../wording/text-word.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { CategoryField, SensitivityField, TypeField } from './memory-field.tsx'
import { useAnswer } from '../../parts/hook.ts'
import { ValueView } from '../../parts/value-view.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { openedBook } from '../../state/book.ts'
import { shownOf, type WithSeen, withoutSecrets } from '../../state/record/secret.ts'
import { SecretNote } from '../record/secret-note.tsx'

export function ProposalCard({ one, place }: { one: WithSeen<Waiting>; place: string }) {
  useEffect(onCardDrawn, [one.id])
  const isEdited = edits.value !== undefined
  const shown = shownOf(one)
  const hidden = isEdited ? foundHidden.value : foundHidden.value.length > 0 ? foundHidden.value : one.hidden
  return (
    <article class="card proposal" aria-labelledby="proposal-head">
      <header class="proposal-head">
        <h2 id="proposal-head" tabIndex={-1} ref={cardHeading}>
          <bdi>{one.agent}</bdi> {one.kind === 'memory' ? 'brought a memory' : 'would like to remember'}
        </h2>
        <span class="faint">
          {place} <Time at={one.proposedAt} />
        </span>
      </header>
      <p class="proposal-text">
        {/* Positions of hidden characters are those of the whole text. */}
        <HiddenText text={shown.content} hidden={shown === one ? one.hidden : []} />
      </p>
      {one.seen && <SecretNote id={one.id} subject="This proposal" />}
      {isEdited && <ProposalEdit />}
      {hidden.length > 0 && <HiddenNotice hidden={hidden} />}
      <Decision one={one} isEdited={isEdited} />
      <Facts one={shown} />
      <section aria-label="Evidence">
        <h3>Evidence</h3>
        <EvidenceList evidence={shown.evidence} />
      </section>
      <Related name="Replaces" ids={one.supersedes} />
      <Related name="Similar to" ids={one.similarTo} />
    </article>
  )
}

function HiddenNotice({ hidden }: { hidden: readonly Hidden[] }) {
  return (
    <div class="notice warn" role="note">
      <div class="notice-text">
        <p class="notice-title">
          This text has hidden or look-alike characters ({countWord(hidden.length)}).
        </p>
        <ul class="plain-list">
          {hidden.map(({ at, character }, i) => (
            <li key={i}>
              {character}, position {at}
            </li>
          ))}
        </ul>
        <p>An agent or a language model may read it differently. Remove them, or confirm:</p>
        <label class="check">
          <input
            ref={seenBox}
            type="checkbox"
            checked={isSeen.value}
            onChange={({ currentTarget }) => (isSeen.value = currentTarget.checked)}
          />
          I have seen the hidden characters and approve the text with them
        </label>
      </div>
    </div>
  )
}

function Decision({ one, isEdited }: { one: Waiting; isEdited: boolean }) {
  if (isSettled.value && !isDeciding.value) {
    const decision = decided.value.find(({ id }) => id === one.id)
    return (
      <p class="notice" role="status">
        This proposal is no longer waiting:{' '}
        {decision ? `${decision.status} elsewhere` : 'withdrawn or decided elsewhere'}.
      </p>
    )
  }
  if (isOver(one))
    return (
      <p class="notice" role="status">
        This proposal has expired and cannot be decided. The agent can propose it again.
      </p>
    )
  if (isEdited) return null
  const isBusy = isDeciding.value
  return (
    <div class="decision" role="group" aria-label="Decision">
      <button type="button" class="button primary" aria-disabled={isBusy} onClick={() => void approve()}>
        Approve <KeyCap name="a" />
      </button>
      <button type="button" class="button" aria-disabled={isBusy} onClick={() => void reject()}>
        Reject <KeyCap name="r" />
      </button>
      <button type="button" class="button" aria-disabled={isBusy} onClick={startEdit}>
        Edit, then approve <KeyCap name="e" />
      </button>
    </div>
  )
}

function Facts({ one }: { one: Waiting }) {
  const {
    category,
    memory_type: type,
    confidence,
    sensitivity,
    context,
    expiresAt,
    priority,
    scope,
    tags,
  } = one
  const labels = [...scope, ...tags]
  const rows: readonly (readonly [name: string, value: unknown])[] = [
    ['Category', <span title={category}>{scopeWord(category)}</span>],
    ['Type', memoryTypes[type] ?? type],
    ['Confidence', shareWord(confidence)],
    ['Sensitivity', sensitivities[sensitivity as keyof typeof sensitivities] ?? sensitivity],
    ...(priority === undefined ? [] : [['Priority', priority] as const]),
    ...(labels.length === 0 ? [] : [['Labels', labels.join(', ')] as const]),
    ...(context === undefined ? [] : [['Context', <bdi>{context}</bdi>] as const]),
    ['Expires', expiresAt === undefined ? 'No expiry' : <Time at={expiresAt} />],
  ]
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value as never}</dd>
        </div>
      ))}
    </dl>
  )
}

function Related({ name, ids }: { name: string; ids: readonly string[] }) {
  if (ids.length === 0) return null
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      {ids.map((id) => (
        <RecordLine key={id} id={id} />
      ))}
    </section>
  )
}

function ProposalEdit() {
  const now = edits.value
  if (!now) return null
  const change = (some: Partial<Edits>) => {
    edits.value = { ...now, ...some }
    foundHidden.value = []
    isSeen.value = false
  }
  return (
    <form
      class="fields-form proposal-edit"
      aria-label="Edit, then approve"
      onSubmit={(event) => {
        event.preventDefault()
        void approve()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          cancelEdit()
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          void approve()
        }
      }}
    >
      <label class="labelled">
        Remember instead
        <textarea
          ref={contentBox}
          class="input"
          rows={3}
          required
          dir="auto"
          value={now.content}
          onInput={({ currentTarget }) => change({ content: currentTarget.value })}
        />
      </label>
      <div class="field-row">
        <CategoryField value={now.category} onChange={(category) => change({ category })} />
        <TypeField value={now.memory_type} onChange={(memory_type) => change({ memory_type })} />
        <SensitivityField value={now.sensitivity} onChange={(sensitivity) => change({ sensitivity })} />
      </div>
      <ErrorNotice title="The changes were not approved." error={editFailure.value} />
      <div class="decision">
        <button type="submit" class="button primary">
          Approve with changes <KeyCap name="Ctrl Enter" />
        </button>
        <button type="button" class="button" onClick={cancelEdit}>
          Cancel <KeyCap name="Esc" />
        </button>
      </div>
    </form>
  )
}

const words: Readonly<Record<string, string>> = {
  user_statement: 'Said by the user',
  inferred: 'Inferred',
  confirmed: 'Confirmed by the user',
  external: 'From outside',
}

function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <p class="quiet">No evidence given.</p>
  return (
    <ol class="evidence">
      {evidence.map(({ type, quote, timestamp, record }, i) => (
        <li key={i}>
          <p class="faint">
            {words[type ?? ''] ?? 'Evidence'}
            {timestamp !== undefined && (
              <>
                {' '}
                · <Time at={timestamp} />
              </>
            )}
          </p>
          {quote !== undefined && (
            <blockquote class="quoted" dir="auto">
              {quote}
            </blockquote>
          )}
          {record !== undefined && <RecordLine id={record} />}
        </li>
      ))}
    </ol>
  )
}

/** A record in one line; it opens in place, and leads to the view of its kind where there is one. */
function RecordLine({ id }: { id: string }) {
  const { value, error } = useAnswer(async () => {
    const from = await openedBook()
    const record = await from.records.get({ id })
    return record && (await withoutSecrets(from, [record]))[0]
  }, [id])
  if (error !== undefined) return <p class="quiet">Record {shortId(id)} could not be read.</p>
  if (value === undefined) return <p aria-busy="true">…</p>
  if (value === null) return <p class="quiet">Record {shortId(id)} is no longer in this book.</p>
  const kind = kindNamed(value.kind)
  const { content } = value as { content?: unknown }
  const title = kind ? kind.row(value).title : valueLine(content ?? value, 200)
  return (
    <details class="evidence-record">
      <summary>
        <span class="faint">{kind?.one ?? value.kind}</span> <bdi>{title}</bdi>
      </summary>
      <ValueView value={value} depth={1} />
      {kind && (
        <button type="button" class="button small" onClick={() => openRecord(value)}>
          Open {kind.one}
        </button>
      )}
    </details>
  )
}

/** Text of another person or agent, with its invisible characters as marks. It is text, never markup. */
function HiddenText({ text, hidden }: { text: string; hidden: readonly Hidden[] }) {
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
