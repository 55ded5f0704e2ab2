// The open proposal of the pool: its statement, its votes, and the vote of this page.
import { LogTable } from '../../parts/table.tsx'
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { useLayoutEffect } from 'preact/hooks'
import { KeyCap, Time } from '../../parts/inline.tsx'
import { useAnswer } from '../../parts/hook.ts'
import type { Proposal } from '../../kind/pool/pool-record.ts'
import { type Seat, type Standing, standingOf } from '../../kind/pool/standing.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { openedBook } from '../../state/book.ts'
import { pool } from '../../state/pool/pool.ts'
import {
  cardHeading,
  cast,
  isVoting,
  leaveReason,
  onCardDrawn,
  ownVote,
  reason,
  reasonBox,
} from '../../state/pool/proposals.ts'
import { decisionSentence, standingSentence } from '../../wording/pool-word.ts'
import { ClawName, FactDifference } from './pool-part.tsx'
import { Mark } from '../../parts/mark.tsx'

export function VoteCard({ one, place }: { one: Proposal; place: string }) {
  useLayoutEffect(onCardDrawn, [])
  const all = pool.value
  const standing = all && standingOf({ proposal: one, claws: all.claws, config: all.config })
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
      <FactList>
        {one.title !== undefined && (
          <Fact name="Proposed by">
            <ClawName claw={one.claw} />
          </Fact>
        )}
        <Fact name="Tags">
          <bdi>{one.tags.join(', ')}</bdi>
        </Fact>
        {!one.decision && (
          <Fact name={one.state === 'open' ? 'Expires' : 'Expired'}>
            <Time at={one.expiresAt} />
          </Fact>
        )}
        <Fact name="Id">
          <code>{one.proposal}</code>
        </Fact>
      </FactList>
    </article>
  )
}

function Voting({ one }: { one: Proposal }) {
  const own = ownVote()
  const all = pool.value
  if (!all) return null
  if (!all.config.governance)
    return (
      <p class="notice" role="note">
        Governance is off in this book: it neither proposes nor votes. Turn it on with{' '}
        <code>book.pool.configure({'{ governance: true }'})</code>.
      </p>
    )
  const isFinal = own !== undefined && all.config.compatibility
  const doesNotCount = one.claw === all.claws.you && !all.config.selfVote
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
          : `You vote as ${all.claws.you}.`}
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

/** Votes for and against, and the needed ones, in words and as bars. */
function Tally({ standing }: { standing: Standing }) {
  const { yes, no, needed } = standing
  return (
    <>
      {needed && (
        <FactList look="tally">
          <TallyBar name="Approve" side="yes" count={yes} of={needed.yes} />
          <TallyBar name="Reject" side="no" count={no} of={needed.no} />
        </FactList>
      )}
      <p role="status">{standingSentence(standing)}</p>
    </>
  )
}

function TallyBar(of: { name: string; side: 'yes' | 'no'; count: number; of: number }) {
  return (
    <Fact name={of.name}>
      <progress
        class={`tally-bar tally-${of.side}`}
        value={Math.min(of.count, of.of)}
        max={of.of}
        aria-hidden="true"
      />
      {of.count} of {of.of} needed
    </Fact>
  )
}

/** The fact that it would become, beside the current version if there is one. */
function Becomes({ fact }: { fact: NonNullable<Proposal['fact']> }) {
  const { value: current } = useAnswer(async () => {
    const { facts } = await (await openedBook()).pool.facts({ fact: fact.id, versions: true })
    return facts[0] ?? null
  }, [fact.id, fact.version])
  const before = current?.versions?.find(({ version }) => version === fact.version - 1)
  const isThere = current?.versions?.some(({ version }) => version === fact.version) === true
  return (
    <section aria-label="The fact">
      <h3>
        {isThere ? 'Became' : 'Would become'}{' '}
        {fact.version === 1 ? 'a fact' : `version ${fact.version} of a fact`}
      </h3>
      <FactDifference before={before} after={fact} />
      {current && (
        <p>
          <button
            type="button"
            class="link"
            onClick={() => openRecord({ id: current.record, kind: 'pool_fact' })}
          >
            Open the fact
          </button>
        </p>
      )}
    </section>
  )
}

const places = {
  counts: '',
  proposer: 'Proposer: its own vote does not count',
  away: 'Inactive: not counted now',
} as const

function BallotTable({ seats }: { seats: readonly Seat[] }) {
  return (
    <LogTable label="Ballots" look="ballots" heads={['Agent', 'Vote', 'Reason', 'When']}>
      {seats.map((seat) => (
        <Row key={seat.claw} seat={seat} />
      ))}
    </LogTable>
  )
}

function Row({ seat: { claw, place, ballot } }: { seat: Seat }) {
  const mark = ballot === undefined ? 'noVote' : ballot.vote === 'yes' ? 'approve' : 'reject'
  const isOwn = place === 'proposer' && !ballot
  return (
    <tr>
      <th scope="row" class="ballot-claw">
        <ClawName claw={claw} />
      </th>
      <td class="log-outcome">{isOwn ? <span class="faint">proposer</span> : <Mark mark={mark} word />}</td>
      <td class="ballot-reason">
        {ballot?.reason !== undefined && <bdi>{ballot.reason}</bdi>}{' '}
        {place !== 'counts' && <span class="faint">{places[place]}.</span>}
        {ballot !== undefined && ballot.n > 1 && <span class="faint"> Changed {ballot.n - 1} ×.</span>}
      </td>
      <td class="log-time">{ballot && <Time at={ballot.castAt} />}</td>
    </tr>
  )
}
