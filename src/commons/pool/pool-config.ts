// The pool settings of a book: one record, so that all devices of the owner share them.
import { z } from 'zod'
import { parseDuration } from '../../core/time.ts'
import type { Kind } from '../../core/kind.ts'
import { bodyOf, type RecordHead } from '../../core/record.ts'
import { nameId } from '../../core/text/name-id.ts'
import { poolLimits } from '../../shape/envelope.ts'

const trimmedName = z
  .string()
  .min(1)
  .max(poolLimits.id)
  .refine((text) => text.isWellFormed() && text.trim() === text, 'is not a name')
const tag = z.string().min(1).max(poolLimits.tag)
const duration = z
  .string()
  .refine(
    (text) => (parseDuration(text) ?? 0) >= 1000,
    'is no duration of a second or more: write 120s, 24h, 7d',
  )
const positiveCount = z.number().int().min(1).max(10_000)

export const quorumRule = z.discriminatedUnion('rule', [
  /** The majority of the active claws, at least three of them. */
  z.strictObject({ rule: z.literal('majority') }),
  /** Fixed numbers of votes; with fewer than `minPool` claws a proposal waits, or is approved at once. */
  z.strictObject({
    rule: z.literal('fixed'),
    /** False: every proposal is approved at once. */
    enabled: z.boolean().default(true),
    minPool: positiveCount.default(3),
    yes: positiveCount.default(2),
    no: positiveCount.default(2),
    belowMinimum: z.enum(['wait', 'approve']).default('wait'),
  }),
])

export const configFields = {
  /** The agents that share facts. Envelopes of another group are ignored. */
  group: trimmedName.default('daybook'),
  /**
   * False: this book ignores proposals, votes, decisions and facts, but takes presence, capabilities and
   * withdrawals.
   */
  governance: z.boolean().default(true),
  /** The claw id of this book's agent. Default: `<agent>@<book>`. */
  claw: trimmedName.optional(),
  /** Shown to other claws, in place of the name and the model that the agent announces. */
  displayName: trimmedName.optional(),
  model: trimmedName.optional(),
  /**
   * `require`: an envelope without a valid signature is rejected. `warn`: the audit has a warning, and only a claw with a
   * stored key must sign. `off`: signatures are not checked.
   */
  verify: z.enum(['off', 'warn', 'require']).default('require'),
  /**
   * The claws that count: admitted ones (`listed`), or all (`anyone`). Default: `anyone` while only the tabs of one
   * browser reach the book, else `listed`.
   */
  admission: z.enum(['listed', 'anyone']).optional(),
  /** True: the proposer's own vote counts. */
  selfVote: z.boolean().default(false),
  /**
   * Cooperates with claws that count by fixed numbers: accepts their tallies unless the ballots here decide
   * otherwise, and refuses to change a vote.
   */
  compatibility: z.boolean().default(false),
  quorum: quorumRule.default({ rule: 'majority' }),
  /** The voting time of a proposal, at least a second. */
  timeout: duration.default('24h'),
  tagsAllowed: z.array(tag).max(100).default(['ops', 'security', 'runbook', 'integration']),
  tagsDenied: z.array(tag).max(100).default(['pii', 'secrets', 'customer-private']),
  /** Most envelopes of one claw per second. */
  floodPerSecond: positiveCount.default(100),
} as const

export const configBody = z.looseObject(configFields)
export type PoolConfig = z.output<typeof configBody>

export const configId = nameId('pool_config', 'book')

export const configKind: Kind<'pool_config', PoolConfig> = {
  name: 'pool_config',
  summary: 'How this book takes part in a pool of agents.',
  version: 1,
  schema: configBody,
  text: [],
  facets: {},
  idPrefix: 'pool_config::',
  policy: 'last_write_wins',
  // A guest reads the settings within its scope, and never changes them.
  guests: 'read',
  timeless: true,
  embed: false,
  recallable: false,
}

const defaultConfig = configBody.parse({})

/** The stored settings; the defaults without valid settings. */
export function configOf(record: RecordHead | undefined): PoolConfig {
  const parsed = record?.kind === 'pool_config' ? configBody.safeParse(bodyOf(record)).data : undefined
  return parsed ?? defaultConfig
}

/** The schema has checked `timeout`, so the day is never used. */
export const votingTimeMs = ({ timeout }: PoolConfig) => parseDuration(timeout) ?? 86_400_000
