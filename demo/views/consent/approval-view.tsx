// The view of approvals: the open proposal, the queue, and decisions that can be undone.
import { ListPane, LockedNote, OpenRow } from '../../parts/list-part.tsx'
import { Page } from '../shell/page.tsx'
import { useEffect } from 'preact/hooks'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/inline.tsx'
import { go } from '../../state/address.ts'
import {
  type Decided,
  decided,
  isOver,
  loadQueue,
  queueFailure,
  requests,
  sealedCount,
  waiting,
  type Waiting,
} from '../../state/consent/queue.ts'
import { cardHeading, current, onCardDrawn, position, show, takeBack } from '../../state/consent/review.ts'
import type { WithSeen } from '../../state/record/secret.ts'
import { scopeWord } from '../../wording/policy-word.ts'
import { capital, countOf, oneLine } from '../../wording/text-word.ts'
import { ProposalCard } from './proposal-card.tsx'

export function ApprovalView() {
  const all = waiting.value
  const one = current.value
  return (
    <Page look="consent" title="Waiting for approval">
      <ErrorNotice title="The queue could not be read." error={queueFailure.value} retry={loadQueue} />
      {requests.value.length > 0 && (
        <p class="notice" role="note">
          {countOf(requests.value.length, 'access request')} waiting.{' '}
          <button type="button" class="link" onClick={() => go({ view: 'policies', id: undefined })}>
            Decide in Policies
          </button>
        </p>
      )}
      <LockedNote count={sealedCount.value} one="entry" many="entries" />
      {one && all && (
        <ProposalCard
          key={one.id}
          one={one}
          place={position.value < 0 ? '' : `${position.value + 1} of ${all.length} ·`}
        />
      )}
      {all && !one && all.length === 0 && <Nothing />}
      {all && one && <Others all={all} shown={one.id} />}
      <DecidedList />
    </Page>
  )
}

function Nothing() {
  useEffect(onCardDrawn, [])
  return (
    <section aria-label="Queue">
      <h2 tabIndex={-1} ref={cardHeading} class="empty-head">
        Nothing is waiting for you.
      </h2>
      <EmptyNote title="">
        <p>
          This is where proposals of agents appear. An agent proposes a memory with{' '}
          <code>book.proposals.propose({'{ content, category }'})</code>; nothing is remembered before you
          approve it. Try it in this page’s console:
        </p>
        <pre class="code-sample">{`book.with({ agent: 'assistant' }).proposals.propose({
  content: 'Prefers short answers',
  category: 'a2p:preferences.communication',
})`}</pre>
      </EmptyNote>
    </section>
  )
}

function Others({ all, shown }: { all: readonly WithSeen<Waiting>[]; shown: string }) {
  if (all.length === 0) return <p class="quiet">Nothing else is waiting.</p>
  return (
    <ListPane label="Queue" title={`Queue (${all.length})`} keys={['j', 'k']} effect="next and previous">
      {all.map((one) => (
        <OpenRow
          key={one.id}
          isOpen={one.id === shown}
          onOpen={() => show(one.id)}
          title={oneLine((one.seen ?? one).content, 120)}
        >
          <bdi>{oneLine(one.agent, 48)}</bdi> · {scopeWord(one.category)}
          {one.hidden.length > 0 && ' · hidden characters'}
          {isOver(one) && ' · expired'}
        </OpenRow>
      ))}
    </ListPane>
  )
}

function DecidedList() {
  const all = decided.value
  if (all.length === 0) return null
  return (
    <ListPane label="Decided" title="Decided in the last 10 minutes" keys={['u']} effect="undo the last one">
      {all.map((one) => (
        <DecidedRow key={one.id} one={one} />
      ))}
    </ListPane>
  )
}

function DecidedRow({ one: { seen, ...decision } }: { one: WithSeen<Decided> }) {
  const { id, status, resolvedAt } = decision
  const { content, editedContent } = seen ?? decision
  return (
    <li class="decided-row">
      <span class={`state state-${status}`}>
        {status === 'edited' ? 'Approved with changes' : capital(status)}
      </span>
      <bdi class="queue-text">{oneLine(editedContent ?? content, 120)}</bdi>
      <span class="faint">
        <Time at={resolvedAt} />
      </span>
      <button type="button" class="button small" onClick={() => void takeBack(id)}>
        Undo<span class="hidden"> “{oneLine(content, 40)}”</span>
      </button>
    </li>
  )
}
