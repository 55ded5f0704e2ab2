// Whose word counts in this book. Invariant: a claw of somebody else counts when the owner has admitted it, or while nobody but
// one person's tabs can reach the book; one that the owner has let go never does.
import type { PoolReader, PoolSelf } from '../../../core/pool/pool-port.ts'
import type { RuleReader } from '../../../core/capability/port/record-port.ts'
import { bodyOf } from '../../../core/record.ts'
import type { PoolConfig } from '../pool-config.ts'
import { clawBody, type ClawBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { clawIdOf, sameClaw } from '../rule/claw-id.ts'

/** `open`: anybody counts here; `unknown`: nobody has admitted it. */
export type Standing = 'own' | 'admitted' | 'open' | 'let_go' | 'unknown'

export interface Roll {
  readonly config: PoolConfig
  /** The claw of the agent that the book was opened for. */
  readonly own: string
  readonly pool: Pick<PoolReader, 'isOwn'> & { readonly self: PoolSelf; readonly isOnePersons: boolean }
  readonly rules: RuleReader
}

/** True when any claw counts that is not let go. */
export function isOpenPool({ config, pool }: Pick<Roll, 'config' | 'pool'>): boolean {
  return config.admission === undefined ? pool.isOnePersons : config.admission === 'anyone'
}

/** What somebody says in a record: a claw, and as `by` the agent of this book whose it is, or else the claw again. */
interface Said {
  readonly claw: string
  readonly by: string
}

/** True for what an agent of this book says in its own name: a guest may write its name before any `@`. */
export function isOfBook({ own, pool: { self } }: Pick<Roll, 'own' | 'pool'>, { claw, by }: Said): boolean {
  return by !== claw && (sameClaw(claw, own) || sameClaw(claw, clawIdOf(by, self.book)))
}

/** False for a record in which an agent of this book says something in the name of somebody else's claw. */
export const isHonest = (roll: Pick<Roll, 'own' | 'pool'>, said: Said): boolean =>
  said.by === said.claw || isOfBook(roll, said)

export function standingOf(roll: Roll, claw: string): Standing {
  if (sameClaw(roll.own, claw) || roll.pool.isOwn(claw)) return 'own'
  const known = knownClaw(roll, claw)
  if (known && isOfBook(roll, known)) return 'own'
  return known?.admission?.state ?? (isOpenPool(roll) ? 'open' : 'unknown')
}

export function counts(standing: Standing): boolean {
  return standing !== 'let_go' && standing !== 'unknown'
}

export const isMember = (roll: Roll, claw: string): boolean => counts(standingOf(roll, claw))

function knownClaw({ rules }: Roll, claw: string): ClawBody | undefined {
  const record = rules.get(recordIds.claw(claw))
  return record?.kind === 'pool_claw' ? clawBody.safeParse(bodyOf(record)).data : undefined
}
