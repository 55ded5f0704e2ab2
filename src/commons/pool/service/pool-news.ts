// What is told of a record of the pool that has changed. Invariant: of what can't be read here nothing is told, and nothing fails.
import type { PoolNews } from '../../../core/capability/event.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { bodyOf } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'
import { parseTime } from '../../../core/time.ts'
import { ballotBody, decisionBody, factBody, proposalBody } from '../pool-kind.ts'

export interface ReadNews {
  readonly news: PoolNews
  /** When a proposal is given up, milliseconds. */
  readonly due?: number
}

export function readNews(records: Pick<RecordReader, 'get'>, id: string, kind: string): ReadNews | undefined {
  try {
    return newsOf(records, id, kind)
  } catch (error) {
    // It is sealed, and nobody can read it here now; or a later Daybook wrote it.
    if (isDaybookError(error, 'locked') || !(error instanceof DaybookError)) return undefined
    throw error
  }
}

function newsOf(records: Pick<RecordReader, 'get'>, id: string, kind: string): ReadNews | undefined {
  const record = records.get(id)
  if (!record || isSealing(record.sensitivity)) return undefined
  const body = bodyOf(record)
  switch (kind) {
    case 'pool_proposal': {
      const { proposal, expires_at } = proposalBody.parse(body)
      return { news: { type: 'proposal', id: proposal, record: id }, due: parseTime(expires_at) ?? 0 }
    }
    case 'pool_ballot': {
      const of = records.get(ballotBody.parse(body).proposal)
      return of && { news: { type: 'vote', id: proposalBody.parse(bodyOf(of)).proposal, record: of.id } }
    }
    case 'pool_decision': {
      const { outcome, proposal } = decisionBody.parse(body)
      const of = records.get(proposal)
      const name = of && proposalBody.parse(bodyOf(of)).proposal
      return name === undefined ? undefined : { news: { type: 'decision', id: name, record: id, outcome } }
    }
    case 'pool_fact': {
      const { fact, version } = factBody.parse(body)
      return { news: { type: 'fact', id: fact, record: id, version } }
    }
    case 'pool_claw':
      return { news: { type: 'claw', id: String(body['claw']), record: id, state: 'capabilities' } }
    default:
      return undefined
  }
}
