// Tickets to lines, in PostgreSQL: the process that gives one need not be the one that is shown it.
// Invariant: a ticket is good once, for one book and a short time, and the database knows its hash alone.
import { createHash } from 'node:crypto'
import { checkBookName } from '../../../core/book.ts'
import type { Random } from '../../../core/ports.ts'
import type { Listener } from '../../../edge/line.ts'
import { payerOf } from '../../../trust/admission.ts'
import { makeTicket, ticketLimit, ticketMs, tooManyLines, unknownTicket } from '../../../edge/live-lines.ts'

import { guarded } from './postgres-fault.ts'
import { enterSql, type PostgresTruthOptions } from './postgres-truth.ts'

export interface SharedTickets {
  /** A ticket for one line, good for `ticketMs`; throws `rate-limited` when that caller has too many. */
  give(listener: Listener): Promise<string>
  /** Whom a ticket was given to; throws `unauthorized` when it is not known, or was used. */
  take(ticket: string): Promise<Listener>
}

const hashOf = (ticket: string) => createHash('sha256').update(ticket).digest('hex')

export function createSharedTickets(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  random: Random,
): SharedTickets {
  const opening = enterSql(book, bypasses)
  // Those who ask at once take turns, or each of them would count without the others.
  const alone = `${opening}; SELECT pg_advisory_xact_lock(hashtextextended('daybook.tickets ${checkBookName(book)}', 0))`
  return {
    async give(listener) {
      const ticket = makeTicket(random)
      await guarded(() =>
        postgres.begin(alone, async (sql) => {
          await sql.rows('DELETE FROM daybook.tickets WHERE book = $1 AND until <= now()', [book])
          const kept = await sql.rows(
            `INSERT INTO daybook.tickets (book, ticket, listener, until)
             SELECT $1, $2, $3::text::json, now() + interval '1 millisecond' * $4
             WHERE (SELECT count(*) FROM daybook.tickets
                    WHERE book = $1 AND coalesce(listener->'standing'->>'payer', listener->'standing'->>'id') = $5) < $6 RETURNING ticket`,
            [
              book,
              hashOf(ticket),
              JSON.stringify(listener),
              ticketMs,
              payerOf(listener.standing),
              ticketLimit.ofCaller,
            ],
          )
          if (kept.length === 0) throw tooManyLines()
          await sql.rows(
            `DELETE FROM daybook.tickets WHERE book = $1 AND ticket IN (
               SELECT ticket FROM daybook.tickets WHERE book = $1 ORDER BY until DESC OFFSET $2)`,
            [book, ticketLimit.ofBook],
          )
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
