// The view of proposals: the open one with its vote, and all by outcome.
import { ListPane, More, OpenRow } from '../../parts/list-part.tsx'
import { ChoiceField } from '../../parts/field/form-field.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/inline.tsx'
import { Mark } from '../../parts/mark.tsx'
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
  openProposal,
  position,
  proposalsFailure,
} from '../../state/pool/proposals.ts'
import { countOf, oneLine } from '../../wording/text-word.ts'
import { ClawName } from './pool-part.tsx'
import { PoolPage } from './pool-page.tsx'
import { VoteCard } from './vote-card.tsx'

export function ProposalView() {
  const all = listed.value
  const one = current.value
  const isAway = isMissing.value && !one && address.value.id !== undefined
  return (
    <PoolPage title="Proposals">
      <Outcome />
      <ErrorNotice
        title="The proposals could not be read."
        error={proposalsFailure.value}
        retry={loadProposals}
      />
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
      {all?.cursor !== undefined && <More onMore={loadOlder}>Show older proposals</More>}
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
      <ChoiceField
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
  const outcome = chipOf('outcome')
  const title = outcome === undefined ? 'Open' : outcomeWords[outcome as 'approved']
  return (
    <ListPane
      label="All proposals"
      title={`${title} (${all.length})`}
      keys={['j', 'k']}
      effect="next and previous"
    >
      {all.map((one) => (
        <OpenRow
          key={one.proposal}
          isOpen={one.proposal === shown}
          onOpen={() => openProposal(one.proposal)}
          title={oneLine(one.title ?? one.statement, 140)}
        >
          <ClawName claw={one.claw} /> · <Time at={one.proposedAt} /> · {tallySoFar(one)}
          <Yours one={one} />
        </OpenRow>
      ))}
    </ListPane>
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
