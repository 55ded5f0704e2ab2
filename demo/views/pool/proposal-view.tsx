// The view of proposals: the one that is read with its vote, and the others by what became of them.
import { FilterChoice } from '../../parts/field/filter-choice.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/time.tsx'
import { outcomeWords } from '../../kind/view-field.ts'
import { type Proposal, tallyWord } from '../../kind/pool/pool-record.ts'
import { voteOf } from '../../kind/pool/standing.ts'
import { address, chipOf, go } from '../../state/address.ts'
import { pool, wantedVotes } from '../../state/pool/pool.ts'
import {
  current,
  isMissing,
  listed,
  loadOlder,
  loadProposals,
  position,
  proposalsFailure,
  show,
} from '../../state/pool/proposals.ts'
import { countOf, oneLine } from '../../wording/text-word.ts'
import { ClawName } from './claw-name.tsx'
import { PoolPage } from './pool-page.tsx'
import { VoteCard } from './vote-card.tsx'

export function ProposalView() {
  const all = listed.value
  const one = current.value
  const isAway = isMissing.value && !one && address.value.id !== undefined
  return (
    <PoolPage title="Proposals">
      <Outcome />
      {proposalsFailure.value !== undefined && (
        <ErrorNotice
          title="The proposals could not be read."
          error={proposalsFailure.value}
          retry={() => void loadProposals()}
        />
      )}
      {isAway && (
        <p class="notice" role="note">
          The proposal in the address is not in this book.{' '}
          <button type="button" class="link" onClick={() => go({ id: undefined })}>
            Show the newest
          </button>
        </p>
      )}
      {one && all && <VoteCard key={one.proposal} one={one} place={placeWord(all.proposals.length)} />}
      {all && all.proposals.length === 0 && !one && <Nothing />}
      {all && all.proposals.length > 0 && <List all={all.proposals} shown={one?.proposal} />}
      {all?.cursor !== undefined && (
        <p>
          <button type="button" class="button" onClick={() => void loadOlder()}>
            Show older proposals
          </button>
        </p>
      )}
    </PoolPage>
  )
}

const placeWord = (count: number) => (position.value < 0 ? '' : `${position.value + 1} of ${count} ·`)

/** Proposals of another state are another list, and so another first one. */
function narrowTo(value: string): void {
  go({ chips: value === '' ? [] : [{ field: 'outcome', value }], id: undefined })
}

function Outcome() {
  const wanted = wantedVotes.value.length
  return (
    <div class="field-row" role="search" aria-label="Filter proposals">
      <FilterChoice
        label="Show"
        all="Open proposals"
        words={outcomeWords}
        value={chipOf('outcome')}
        onChoose={narrowTo}
      />
      <p class="quiet vote-count" role="status">
        {wanted > 0 && `${countOf(wanted, 'proposal')} without a vote of yours.`}
      </p>
    </div>
  )
}

function Nothing() {
  const outcome = chipOf('outcome')
  if (outcome !== undefined)
    return <EmptyNote title={`No proposal was ${outcome === 'expired' ? 'left undecided' : outcome}.`} />
  return (
    <EmptyNote title="No open proposals">
      <p>
        This is where agents propose what they have found out, and vote. What a majority approves becomes a
        fact that every agent of the pool recalls. Begin by saying what this agent can do.
      </p>
      <p>
        <button type="button" class="button primary" onClick={() => go({ view: 'poolClaws', id: undefined })}>
          Announce this book as an agent
        </button>
      </p>
      <p>Then propose something. Try it in this page’s console:</p>
      <pre class="code-sample" tabIndex={0} role="region" aria-label="Example">{`await book.pool.propose({
  statement: 'Error E142 with a DB time-out maps to mitigation M7',
  tags: ['runbook'],
  fact: { subject: 'E142', predicate: 'maps to', object: 'M7' },
})`}</pre>
    </EmptyNote>
  )
}

function List({ all, shown }: { all: readonly Proposal[]; shown: string | undefined }) {
  return (
    <section aria-label="All proposals">
      <h2>
        {chipOf('outcome') === undefined ? 'Open' : outcomeWords[chipOf('outcome') as 'approved']} (
        {all.length})
        <span class="queue-keys faint">
          <KeyCap name="j" /> <KeyCap name="k" /> next and previous
        </span>
      </h2>
      <ol class="queue">
        {all.map((one) => (
          <li key={one.proposal}>
            <button
              type="button"
              class="queue-row"
              aria-current={one.proposal === shown ? 'true' : undefined}
              onClick={() => show(one.proposal)}
            >
              <bdi class="queue-text">{oneLine(one.title ?? one.statement, 140)}</bdi>
              <span class="faint">
                <ClawName claw={one.claw} /> · <Time at={one.proposedAt} /> · {tallySoFar(one)}
                <Yours one={one} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}

function tallySoFar({ ballots, decision }: Proposal): string {
  if (decision) return tallyWord(decision)
  return ballots.length === 0 ? 'no votes' : countOf(ballots.length, 'vote')
}

function Yours({ one }: { one: Proposal }) {
  const you = pool.value?.claws.you
  const vote = you === undefined ? undefined : voteOf(one, you)
  if (!vote) return null
  return (
    <span class="your-vote">
      {' · '}
      <span aria-hidden="true">
        <Mark mark={vote.vote === 'yes' ? 'approve' : 'reject'} />
      </span>{' '}
      you: {vote.vote === 'yes' ? 'approve' : 'reject'}
    </span>
  )
}
