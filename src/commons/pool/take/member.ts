// The members of the pool, as this book sees them: the claws whose votes and decisions count here.
// Invariant: a foreign claw counts if the owner has admitted it, or if `isOpenPool` is true; a claw that the owner
// has let go never counts.
import type { PoolReader, PoolSelf } from '../../../core/pool.ts'
import type { RuleReader } from '../../../core/capability/port/record-port.ts'
import { bodyOf } from '../../../core/record.ts'
import type { PoolConfig } from '../pool-config.ts'
import { clawBody, type ClawBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { clawIdOf, sameClaw } from '../rule/claw-id.ts'

/**
 * `own`: an agent of this book. `open`: not admitted, but every claw counts here. `let_go`: the owner ended its
 * admission. `unknown`: not admitted, so it does not count.
 */
export type ClawStanding = 'own' | 'admitted' | 'open' | 'let_go' | 'unknown'

export interface Membership {
  readonly config: PoolConfig
  /** The claw of the agent that the book was opened for. */
  readonly ownClaw: string
  readonly pool: Pick<PoolReader, 'isOwn'> & { readonly self: PoolSelf; readonly servesOnePerson: boolean }
  readonly rules: Pick<RuleReader, 'get'>
}

/**
 * True if every claw counts, except those that the owner has let go. Default: only while the tabs of one browser
 * are the only carriers.
 */
export function isOpenPool({ config, pool }: Pick<Membership, 'config' | 'pool'>): boolean {
  return config.admission === undefined ? pool.servesOnePerson : config.admission === 'anyone'
}

/** The speaker of a record. `by`: the agent of this book that owns the claw; for a foreign claw, the claw again. */
export interface RecordSpeaker {
  readonly claw: string
  readonly by: string
}

/**
 * True if an agent of this book speaks with its own claw. Check it before a record counts: a guest can write
 * a record with a claw of its own name and the name of another book (`guest@other`).
 */
export function isAgentOfBook(
  { ownClaw, pool: { self } }: Pick<Membership, 'ownClaw' | 'pool'>,
  { claw, by }: RecordSpeaker,
): boolean {
  return by !== claw && (sameClaw(claw, ownClaw) || sameClaw(claw, clawIdOf(by, self.book)))
}

/** False if an agent of this book speaks in the name of a foreign claw. */
export const isHonestSpeaker = (
  membership: Pick<Membership, 'ownClaw' | 'pool'>,
  speaker: RecordSpeaker,
): boolean => speaker.by === speaker.claw || isAgentOfBook(membership, speaker)

/**
 * The standing of `claw`: `own` for an agent of this book; else the owner's decision, else the rule of the
 * pool.
 */
export function clawStanding(membership: Membership, claw: string): ClawStanding {
  // The claw of the book's agent, or a claw that sent through this copy.
  if (sameClaw(membership.ownClaw, claw) || membership.pool.isOwn(claw)) return 'own'
  // A claw whose record says that an agent of this book owns it; another device may have written the record.
  const stored = storedClaw(membership, claw)
  if (stored && isAgentOfBook(membership, stored)) return 'own'
  return stored?.admission?.state ?? (isOpenPool(membership) ? 'open' : 'unknown')
}

export function isMemberIn(membership: Membership, claw: string): boolean {
  const standing = clawStanding(membership, claw)
  return standing !== 'let_go' && standing !== 'unknown'
}

function storedClaw({ rules }: Membership, claw: string): ClawBody | undefined {
  const record = rules.get(recordIds.claw(claw))
  return record?.kind === 'pool_claw' ? clawBody.safeParse(bodyOf(record)).data : undefined
}
