// `GET /health`: that this process answers, which wire it speaks, and whether it reaches its database.
import type { Clock } from '../../../core/ports.ts'
import type { Postgres } from '../postgres/connect-postgres.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'

/** Anybody may ask, so the database is asked no more often than this. */
const freshMs = 1000
const patienceMs = 3000

/** Answers 200, or 503 while the database does not answer. */
export function createHealth(postgres: Postgres, clock: Clock): () => Promise<Response> {
  let asked = { at: Number.NEGATIVE_INFINITY, isUp: Promise.resolve(false) }
  const ask = async (): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs)
    })
    const answer = postgres.rows('SELECT 1').then(
      () => true,
      () => false,
    )
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }
  return async () => {
    const now = clock.now()
    if (Math.abs(now - asked.at) >= freshMs) asked = { at: now, isUp: ask() }
    const ok = await asked.isUp
    return Response.json({ ok, wire: wireVersion, database: ok ? 'up' : 'down' }, { status: ok ? 200 : 503 })
  }
}
