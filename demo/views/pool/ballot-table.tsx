// Who has voted how and why, and who has not. Told by shape and by word.
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/time.tsx'
import type { Seat } from '../../kind/pool/standing.ts'
import { ClawName } from './claw-name.tsx'

const places = {
  counts: '',
  proposer: 'Proposer: its own vote does not count',
  away: 'Inactive: not counted now',
} as const

export function BallotTable({ seats }: { seats: readonly Seat[] }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Ballots">
      <table class="log-table ballots">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Vote</th>
            <th scope="col">Reason</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {seats.map((seat) => (
            <Row key={seat.claw} seat={seat} />
          ))}
        </tbody>
      </table>
    </div>
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
