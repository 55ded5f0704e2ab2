// Admission that all processes share, in PostgreSQL and by its clock: request rates, the nonces and rates of
// the a2p protocol, and tickets for lines.
// Invariant: all processes together never exceed one token bucket. A process draws a few tokens at once and
// spends them itself, so that not every request needs the database.
// `enterSql` begins a transaction that sees one book. `bypasses`: the database user bypasses row-level security, so
// each transaction takes a role that does not.
import { createHash } from 'node:crypto'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Random } from '../../../core/ports.ts'
import type { Rate } from '../../../edge/rate-limit.ts'
import { withPostgresFaults } from './postgres-fault.ts'
import { enterSql, type PostgresTruthOptions } from './postgres-truth.ts'
import {
  type AgentGate,
  type AgentRate,
  bucketsOf,
  longestRefillMs,
  type RateBucket,
  rateStateOf,
} from '../../../edge/agent/agent-gate.ts'
import type { Sql } from './connect-postgres.ts'
import { checkBookName } from '../../../core/book.ts'
import type { Listener } from '../../../edge/line.ts'
import { quotaOwnerOf } from '../../../trust/admission.ts'
import {
  newTicket,
  maxUnusedTickets,
  ticketLifetimeMs,
  tooManyLinesError,
  unknownTicketError,
} from '../../../edge/live-lines.ts'

export interface SharedRate {
  /**
   * Takes one request from the caller's bucket; throws `rate-limited` with `retryAfterMs`, and takes nothing
   * then.
   */
  charge(caller: string): Promise<void>
  /** Removes buckets that are full again. */
  tidy(): Promise<void>
}

/** Part of a full bucket that a process draws at once, and the time in which it may spend those tokens. */
const drawnPart = 1 / 64
const drawnMs = 60_000

/** Tokens that this process has drawn from the bucket of a caller. */
interface Drawn {
  remaining: number
  untilMs: number
}

export function createSharedRate(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  { burst, perSecond }: Rate,
  clock: Clock,
): SharedRate {
  const drawn = new Map<string, Drawn>()
  /** Most tokens of one draw. */
  const most = Math.max(1, Math.floor(burst * drawnPart))

  /**
   * One message, which is one transaction. No characters need escaping: `caller` is a hash, and `enterSql`
   * checks `book`.
   */
  const drawSql = (caller: string) => {
    const passedS = 'greatest(0, extract(epoch FROM clock_timestamp() - r.at))'
    const filled = `least(${burst}, r.remaining + ${passedS} * ${perSecond})`
    const taken = `least(${most}, floor(${filled}))`
    return `${enterSql(book, bypasses)};
      INSERT INTO daybook.rates AS r (book, caller, remaining, taken, at)
      VALUES ('${book}', '${caller}', ${burst - most}, ${most}, clock_timestamp())
      ON CONFLICT (book, caller) DO UPDATE
        SET remaining = ${filled} - ${taken}, taken = ${taken}, at = clock_timestamp()
      RETURNING remaining::float8 AS remaining, taken::float8 AS taken`
  }
  /** Draws tokens: returns the number that stays in the shared bucket, and the number that was taken. */
  const draw = async (caller: string): Promise<{ readonly remaining: number; readonly taken: number }> => {
    const [row] = await withPostgresFaults(() =>
      postgres.last<{ remaining: number; taken: number }>(drawSql(caller)),
    )
    if (!row) throw new DaybookError('internal')
    return row
  }

  return {
    async charge(caller) {
      const name = createHash('sha256').update(caller).digest('hex')
      const own = drawn.get(name)
      if (own && own.remaining >= 1 && own.untilMs > clock.now()) {
        own.remaining -= 1
        return
      }
      const { remaining, taken } = await draw(name)
      if (taken < 1) {
        const retryAfterMs = Math.ceil(((1 - remaining) / perSecond) * 1000)
        throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
      }
      // Another request may have drawn meanwhile for the same caller.
      const before = drawn.get(name)
      const rest = before && before.untilMs > clock.now() ? before.remaining : 0
      drawn.set(name, { remaining: rest + taken - 1, untilMs: clock.now() + drawnMs })
    },
    async tidy() {
      for (const [name, { untilMs }] of drawn) if (untilMs <= clock.now()) drawn.delete(name)
      const fullAfterS = burst / perSecond
      await withPostgresFaults(() =>
        postgres.last(`${enterSql(book, bypasses)};
          DELETE FROM daybook.rates WHERE book = '${book}' AND at < clock_timestamp() - interval '1 second' * ${fullAfterS}`),
      )
    },
  }
}

// Invariant: all processes together accept a nonce once, even if the database crashes.

export interface SharedAgentGate extends AgentGate {
  /** Removes expired nonces and full buckets. */
  tidy(): Promise<void>
}

export function createSharedAgentGate(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  rate: AgentRate,
  clock: Clock,
): SharedAgentGate {
  const within = <Result>(work: (sql: Sql) => Promise<Result>) =>
    withPostgresFaults(() => postgres.begin(enterSql(book, bypasses), work))

  /**
   * Refills the bucket for the time since its last use. Returns the tokens that would be left after this
   * request; negative: the request gets none. The bucket is locked until the transaction ends.
   */
  const readLeft = async (sql: Sql, caller: string, { name, burst, perSecond }: RateBucket) => {
    const [row] = await sql.rows<{ tokens: number }>(
      `INSERT INTO daybook.agent_buckets AS b (book, caller, bucket, remaining, at)
       VALUES ($1, $2, $3, $4, clock_timestamp())
       ON CONFLICT (book, caller, bucket) DO UPDATE SET at = clock_timestamp(), remaining = least($4::float8,
         b.remaining + greatest(0, extract(epoch FROM clock_timestamp() - b.at)) * $5::float8)
       RETURNING remaining::float8 AS tokens`,
      [book, caller, name, burst, perSecond],
    )
    if (!row) throw new DaybookError('internal')
    return row.tokens - 1
  }

  const sweepNonces = (sql: Sql) =>
    sql.rows('DELETE FROM daybook.agent_nonces WHERE book = $1 AND until < clock_timestamp()', [book])

  return {
    charge: (caller, operation) =>
      within(async (sql) => {
        const name = createHash('sha256').update(caller).digest('hex')
        const charges = []
        for (const bucket of bucketsOf(operation, rate))
          charges.push({ bucket, remaining: await readLeft(sql, name, bucket) })
        // Charges all buckets or none.
        if (charges.every(({ remaining }) => remaining >= 0))
          await sql.rows(
            `UPDATE daybook.agent_buckets SET remaining = remaining - 1
             WHERE book = $1 AND caller = $2 AND bucket IN (SELECT jsonb_array_elements_text($3::jsonb))`,
            [book, name, JSON.stringify(charges.map(({ bucket }) => bucket.name))],
          )
        return rateStateOf(charges, clock.now())
      }),
    takeNonce: (agent, nonce, untilMs) =>
      within(async (sql) => {
        await sweepNonces(sql)
        const taken = await sql.rows(
          `INSERT INTO daybook.agent_nonces (book, agent, nonce, until) VALUES ($1, $2, $3, to_timestamp($4 / 1000.0))
           ON CONFLICT DO NOTHING RETURNING nonce`,
          [book, agent, nonce, untilMs],
        )
        return taken.length > 0
      }),
    tidy: () =>
      within(async (sql) => {
        await sweepNonces(sql)
        await sql.rows(
          `DELETE FROM daybook.agent_buckets
           WHERE book = $1 AND at < clock_timestamp() - interval '1 millisecond' * $2`,
          [book, longestRefillMs],
        )
      }),
  }
}

// Invariant: a ticket is valid once, for one book and a short time; the database has only its hash. Another
// process may redeem it.

export interface SharedTickets {
  /** Makes a ticket for one line, valid for `ticketLifetimeMs`; throws `rate-limited` if the caller has too many. */
  give(listener: Listener): Promise<string>
  /** Redeems a ticket; throws `unauthorized` if it is unknown, used or expired. */
  take(ticket: string): Promise<Listener>
}

const hashOf = (ticket: string) => createHash('sha256').update(ticket).digest('hex')

export function createSharedTickets(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  random: Random,
): SharedTickets {
  const opening = enterSql(book, bypasses)
  // Transactions of `give` run one after another, so that each counts the tickets of the others.
  const alone = `${opening}; SELECT pg_advisory_xact_lock(hashtextextended('daybook.tickets ${checkBookName(book)}', 0))`
  return {
    async give(listener) {
      const ticket = newTicket(random)
      await withPostgresFaults(() =>
        postgres.begin(alone, async (sql) => {
          await sql.rows('DELETE FROM daybook.tickets WHERE book = $1 AND until <= now()', [book])
          // $5: counts by the same field as `quotaOwnerOf`.
          const inserted = await sql.rows(
            `INSERT INTO daybook.tickets (book, ticket, listener, until)
             SELECT $1, $2, $3::text::json, now() + interval '1 millisecond' * $4
             WHERE (SELECT count(*) FROM daybook.tickets
                    WHERE book = $1 AND coalesce(listener->'standing'->>'payer', listener->'standing'->>'id') = $5) < $6 RETURNING ticket`,
            [
              book,
              hashOf(ticket),
              JSON.stringify(listener),
              ticketLifetimeMs,
              quotaOwnerOf(listener.standing),
              maxUnusedTickets.perCaller,
            ],
          )
          if (inserted.length === 0) throw tooManyLinesError()
          await sql.rows(
            `DELETE FROM daybook.tickets WHERE book = $1 AND ticket IN (
               SELECT ticket FROM daybook.tickets WHERE book = $1 ORDER BY until DESC OFFSET $2)`,
            [book, maxUnusedTickets.perBook],
          )
        }),
      )
      return ticket
    },
    async take(ticket) {
      const [row] = await withPostgresFaults(() =>
        postgres.begin(opening, (sql) =>
          sql.rows<{ listener: Listener; fresh: boolean }>(
            'DELETE FROM daybook.tickets WHERE book = $1 AND ticket = $2 RETURNING listener, until > now() AS fresh',
            [book, hashOf(ticket)],
          ),
        ),
      )
      if (!row?.fresh) throw unknownTicketError()
      return row.listener
    },
  }
}
