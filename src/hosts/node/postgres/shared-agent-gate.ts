// What stands before requests of the a2p protocol, whichever process they come to: nonces and allowances in PostgreSQL, by its
// clock. Invariant: a nonce is taken once by all processes together, also across a crash of the database.
import { createHash } from 'node:crypto'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports.ts'
import {
  type AgentGate,
  type AgentRate,
  bucketsOf,
  type RateBucket,
  stateOf,
} from '../../../edge/agent/agent-gate.ts'
import type { Sql } from './connect-postgres.ts'
import { guarded } from './postgres-fault.ts'
import { enterSql, type PostgresTruthOptions } from './postgres-truth.ts'

export interface SharedAgentGate extends AgentGate {
  /** Removes nonces that have ended and buckets that are full again. */
  tidy(): Promise<void>
}

export function createSharedAgentGate(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  rate: AgentRate,
  clock: Clock,
): SharedAgentGate {
  const within = <Result>(work: (sql: Sql) => Promise<Result>) =>
    guarded(() => postgres.begin(enterSql(book, bypasses), work))

  /** What would be left of a bucket, which nobody else pays from until the transaction ends. */
  const readLeft = async (sql: Sql, caller: string, { name, burst, perSecond }: RateBucket) => {
    const [row] = await sql.rows<{ left: number }>(
      `INSERT INTO daybook.agent_buckets AS b (book, caller, bucket, left_over, at)
       VALUES ($1, $2, $3, $4, clock_timestamp())
       ON CONFLICT (book, caller, bucket) DO UPDATE SET at = clock_timestamp(), left_over = least($4::float8,
         b.left_over + greatest(0, extract(epoch FROM clock_timestamp() - b.at)) * $5::float8)
       RETURNING left_over::float8 AS left`,
      [book, caller, name, burst, perSecond],
    )
    if (!row) throw new DaybookError('internal')
    return row.left - 1
  }

  const sweepNonces = (sql: Sql) =>
    sql.rows('DELETE FROM daybook.agent_nonces WHERE book = $1 AND until < clock_timestamp()', [book])

  return {
    spend: (caller, operation) =>
      within(async (sql) => {
        const name = createHash('sha256').update(caller).digest('hex')
        const paid = []
        for (const bucket of bucketsOf(operation, rate))
          paid.push({ bucket, left: await readLeft(sql, name, bucket) })
        if (paid.every(({ left }) => left >= 0))
          await sql.rows(
            `UPDATE daybook.agent_buckets SET left_over = left_over - 1
             WHERE book = $1 AND caller = $2 AND bucket IN (SELECT jsonb_array_elements_text($3::jsonb))`,
            [book, name, JSON.stringify(paid.map(({ bucket }) => bucket.name))],
          )
        return stateOf(paid, clock.now())
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
          "DELETE FROM daybook.agent_buckets WHERE book = $1 AND at < clock_timestamp() - interval '1 hour'",
          [book],
        )
      }),
  }
}
