// Tickets to lines, in PostgreSQL: the process that gives one need not be the one that is shown it.
// Invariant: a ticket is good once, for one book and a short time, and the database knows its hash alone.
import { createHash } from 'node:crypto'
import { toBase64Url } from '../../../core/base64url.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Random } from '../../../core/ports.ts'
import { type Listener, ticketMs, unknownTicket } from '../../../../worker/live-desk.ts'
import { guarded } from './postgres-fault.ts'
import { enterSql, type PostgresTruthOptions } from './postgres-truth.ts'

export interface SharedTickets {
  /** A ticket for one line, good for `ticketMs`. */
  give(listener: Listener): Promise<string>
  /** Whom a ticket was given to; throws `unauthorized` when it is not known, or was used. */
  take(ticket: string): Promise<Listener>
}

/** Tickets of one book that nobody has shown yet. */
const ticketLimit = 1000

const hashOf = (ticket: string) => createHash('sha256').update(ticket).digest('hex')

export function createSharedTickets(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  random: Random,
): SharedTickets {
  const opening = enterSql(book, bypasses)
  return {
    async give(listener) {
      const ticket = toBase64Url(random.bytes(32))
      await guarded(() =>
        postgres.begin(opening, async (sql) => {
          await sql.rows('DELETE FROM daybook.tickets WHERE book = $1 AND until <= now()', [book])
          const kept = await sql.rows(
            `INSERT INTO daybook.tickets (book, ticket, listener, until)
             SELECT $1, $2, $3::text::json, now() + interval '1 millisecond' * $4
             WHERE (SELECT count(*) FROM daybook.tickets WHERE book = $1) < $5 RETURNING ticket`,
            [book, hashOf(ticket), JSON.stringify(listener), ticketMs, ticketLimit],
          )
          if (kept.length > 0) return
          throw new DaybookError('rate-limited', 'This book has too many lines.', {
            details: { retryAfterMs: ticketMs },
          })
        }),
      )
      return ticket
    },
    async take(ticket) {
      const [row] = await guarded(() =>
        postgres.begin(opening, (sql) =>
          sql.rows<{ listener: Listener; fresh: boolean }>(
            'DELETE FROM daybook.tickets WHERE book = $1 AND ticket = $2 RETURNING listener, until > now() AS fresh',
            [book, hashOf(ticket)],
          ),
        ),
      )
      if (!row?.fresh) throw unknownTicket()
      return row.listener
    },
  }
}
