// The proposal that is read: what would be remembered, why, what is hidden in it, and the decision.
import { useEffect } from 'preact/hooks'
import { HiddenText } from '../../parts/hidden-text.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import { Time } from '../../parts/time.tsx'
import { memoryTypes, sensitivities } from '../../kind/view-field.ts'
import { decided, isOver, type Waiting } from '../../state/consent/queue.ts'
import {
  approve,
  cardHeading,
  edits,
  foundHidden,
  isDeciding,
  isGone,
  isSeen,
  onCardDrawn,
  reject,
  seenBox,
  startEdit,
} from '../../state/consent/review.ts'
import type { Hidden } from '../../wording/hidden-word.ts'
import { scopeWord } from '../../wording/policy-word.ts'
import { countWord, shareWord } from '../../wording/text-word.ts'
import { EvidenceList, RecordLine } from './evidence-list.tsx'
import { ProposalEdit } from './proposal-edit.tsx'

export function ProposalCard({ one, place }: { one: Waiting; place: string }) {
  useEffect(onCardDrawn, [one.id])
  const isEdited = edits.value !== undefined
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
        <HiddenText text={one.content} hidden={one.hidden} />
      </p>
      {isEdited && <ProposalEdit />}
      {hidden.length > 0 && <HiddenNotice hidden={hidden} />}
      <Decision one={one} isEdited={isEdited} />
      <Facts one={one} />
      <section aria-label="Evidence">
        <h3>Evidence</h3>
        <EvidenceList evidence={one.evidence} />
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
          {hidden.map(({ at, character: what }, i) => (
            <li key={i}>
              {what}, position {at}
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
  if (isGone.value && !isDeciding.value) {
    const known = decided.value.find(({ id }) => id === one.id)
    return (
      <p class="notice" role="status">
        This proposal is no longer waiting:{' '}
        {known ? `${known.status} elsewhere` : 'withdrawn or decided elsewhere'}.
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
