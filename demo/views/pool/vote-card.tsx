// The proposal that is read: what it says, how the vote stands, and this page's own vote.
import { useLayoutEffect } from 'preact/hooks'
import { KeyCap } from '../../parts/key-cap.tsx'
import { Time } from '../../parts/time.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import type { Proposal } from '../../kind/pool/pool-record.ts'
import { type Standing, standingOf } from '../../kind/pool/standing.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { openedBook } from '../../state/book.ts'
import { pool } from '../../state/pool/pool.ts'
import { cardHeading, onCardDrawn } from '../../state/pool/proposals.ts'
import { cast, isVoting, leaveReason, ownVote, reason, reasonBox } from '../../state/pool/vote.ts'
import { decisionSentence, standingSentence } from '../../wording/pool-word.ts'
import { BallotTable } from './ballot-table.tsx'
import { ClawName } from './claw-name.tsx'
import { FactDifference } from './fact-difference.tsx'

export function VoteCard({ one, place }: { one: Proposal; place: string }) {
  useLayoutEffect(onCardDrawn, [])
  const known = pool.value
  const standing = known && standingOf({ proposal: one, claws: known.claws, config: known.config })
  return (
    <article class="card proposal" aria-labelledby="proposal-head">
      <header class="proposal-head">
        <h2 id="proposal-head" tabIndex={-1} ref={cardHeading} dir="auto">
          {one.title ?? (
            <>
              <ClawName claw={one.claw} /> proposes
            </>
          )}
        </h2>
        <span class="faint">
          {place} <Time at={one.proposedAt} />
        </span>
      </header>
      <p class="proposal-text" dir="auto">
        {one.statement}
      </p>
      {one.state === 'open' ? <Voting one={one} /> : <Decided one={one} />}
      {standing && (
        <section class="standing" aria-label="Votes">
          <h3>Votes</h3>
          {one.state === 'open' && <Tally standing={standing} />}
          <BallotTable seats={standing.seats} />
        </section>
      )}
      {one.fact && <Becomes fact={one.fact} />}
      <dl class="facts">
        {one.title !== undefined && (
          <div>
            <dt>Proposed by</dt>
            <dd>
              <ClawName claw={one.claw} />
            </dd>
          </div>
        )}
        <div>
          <dt>Tags</dt>
          <dd>
            <bdi>{one.tags.join(', ')}</bdi>
          </dd>
        </div>
        {!one.decision && (
          <div>
            <dt>{one.state === 'open' ? 'Expires' : 'Expired'}</dt>
            <dd>
              <Time at={one.expiresAt} />
            </dd>
          </div>
        )}
        <div>
          <dt>Id</dt>
          <dd>
            <code>{one.proposal}</code>
          </dd>
        </div>
      </dl>
    </article>
  )
}

function Voting({ one }: { one: Proposal }) {
  const own = ownVote()
  const known = pool.value
  if (!known) return null
  if (!known.config.governance)
    return (
      <p class="notice" role="note">
        Governance is off in this book: it neither proposes nor votes. Turn it on with{' '}
        <code>book.pool.configure({'{ governance: true }'})</code>.
      </p>
    )
  const isFinal = own !== undefined && known.config.compatibility
  const doesNotCount = one.claw === known.claws.you && !known.config.selfVote
  return (
    <div class="voting" role="group" aria-label="Your vote">
      <div class="field-row">
        <label class="labelled">
          <span>
            Reason (optional, seen by every agent) <KeyCap name="e" />
          </span>
          <input
            ref={reasonBox}
            class="input"
            autocomplete="off"
            maxLength={500}
            value={reason.value}
            onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' && event.key !== 'Enter') return
              event.preventDefault()
              event.stopPropagation()
              leaveReason()
            }}
          />
        </label>
        <div class="decision">
          <VoteButton side="yes" isCast={own?.vote === 'yes'} isOff={isFinal} />
          <VoteButton side="no" isCast={own?.vote === 'no'} isOff={isFinal} />
        </div>
      </div>
      <p class="quiet">
        {own
          ? `You voted to ${own.vote === 'yes' ? 'approve' : 'reject'} it. ${
              isFinal ? 'Votes cannot be changed in this pool.' : 'You can change that until it is decided.'
            }`
          : `You vote as ${known.claws.you}.`}
        {doesNotCount && ' Your vote does not count, because you proposed it.'}
      </p>
    </div>
  )
}

function VoteButton({ side, isCast, isOff }: { side: 'yes' | 'no'; isCast: boolean; isOff: boolean }) {
  return (
    <button
      type="button"
      class={side === 'yes' ? 'button primary' : 'button'}
      aria-pressed={isCast}
      aria-disabled={isVoting.value || isOff}
      onClick={() => !isOff && void cast(side)}
    >
      {side === 'yes' ? 'Approve' : 'Reject'} <KeyCap name={side === 'yes' ? 'a' : 'r'} />
    </button>
  )
}

function Decided({ one: { state, decision } }: { one: Proposal }) {
  if (!decision)
    return (
      <p class="notice" role="status">
        Voting ended without a decision.
      </p>
    )
  return (
    <p class="notice" role="status">
      <span class={`state state-${state}`}>
        {state} {decision.yes} to {decision.no}
      </span>
      <span>
        {decisionSentence(decision.reason)} Counted by <ClawName claw={decision.claw} />{' '}
        <Time at={decision.decidedAt} />
        {decision.active && `, with ${decision.active.length} agents active`}
        {decision.quorum !== undefined && ` and ${decision.quorum} votes needed`}.
      </span>
    </p>
  )
}

/** Votes for and against, with what is needed, in words and as bars. */
function Tally({ standing }: { standing: Standing }) {
  const { yes, no, needed } = standing
  return (
    <>
      {needed && (
        <dl class="tally">
          <TallyBar name="Approve" side="yes" count={yes} of={needed.yes} />
          <TallyBar name="Reject" side="no" count={no} of={needed.no} />
        </dl>
      )}
      <p role="status">{standingSentence(standing)}</p>
    </>
  )
}

function TallyBar(of: { name: string; side: 'yes' | 'no'; count: number; of: number }) {
  return (
    <div>
      <dt>{of.name}</dt>
      <dd>
        <progress
          class={`tally-bar tally-${of.side}`}
          value={Math.min(of.count, of.of)}
          max={of.of}
          aria-hidden="true"
        />
        {of.count} of {of.of} needed
      </dd>
    </div>
  )
}

/** What it would become; beside what the fact says now, where there is one. */
function Becomes({ fact }: { fact: NonNullable<Proposal['fact']> }) {
  const { value: known } = useAnswer(async () => {
    const { facts } = await (await openedBook()).pool.facts({ fact: fact.id, versions: true })
    return facts[0] ?? null
  }, [fact.id, fact.version])
  const before = known?.versions?.find(({ version }) => version === fact.version - 1)
  const isThere = known?.versions?.some(({ version }) => version === fact.version) === true
  return (
    <section aria-label="The fact">
      <h3>
        {isThere ? 'Became' : 'Would become'}{' '}
        {fact.version === 1 ? 'a fact' : `version ${fact.version} of a fact`}
      </h3>
      <FactDifference before={before} after={fact} />
      {known && (
        <p>
          <button
            type="button"
            class="link"
            onClick={() => openRecord({ id: known.record, kind: 'pool_fact' })}
          >
            Open the fact
          </button>
        </p>
      )}
    </section>
  )
}
