// How much each caller may ask of one book, whichever process it asks: token buckets in PostgreSQL, by its clock.
// Invariant: what all processes let through together is never more than one bucket gives; a process draws a few requests
// at once and spends them itself, so that not every request asks the database.
import { createHash } from 'node:crypto'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports.ts'
import type { Rate } from '../../../edge/rate-limit.ts'
import { guarded } from './postgres-fault.ts'
import { enterSql, type PostgresTruthOptions } from './postgres-truth.ts'

export interface SharedRate {
  /** Takes one request out of the caller's bucket, or throws `rate-limited` with `retryAfterMs`, and then takes nothing. */
  spend(caller: string): Promise<void>
  /** Removes the buckets that are full again. */
  tidy(): Promise<void>
}

/** A process draws this part of the burst at once, and what it has not spent in time is forgotten. */
const drawnPart = 1 / 64
const drawnMs = 60_000

interface Drawn {
  left: number
  untilMs: number
}

export function createSharedRate(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  { burst, perSecond }: Rate,
  clock: Clock,
): SharedRate {
  const drawn = new Map<string, Drawn>()
  const most = Math.max(1, Math.floor(burst * drawnPart))

  /** All in one message, which is one transaction. The hash has no character that would have to be escaped. */
  const drawSql = (caller: string) => {
    const passedS = 'greatest(0, extract(epoch FROM clock_timestamp() - r.at))'
    const filled = `least(${burst}, r.left_over + ${passedS} * ${perSecond})`
    const taken = `least(${most}, floor(${filled}))`
    return `${enterSql(book, bypasses)};
      INSERT INTO daybook.rates AS r (book, caller, left_over, taken, at)
      VALUES ('${book}', '${caller}', ${burst - most}, ${most}, clock_timestamp())
      ON CONFLICT (book, caller) DO UPDATE
        SET left_over = ${filled} - ${taken}, taken = ${taken}, at = clock_timestamp()
      RETURNING left_over::float8 AS left, taken::float8 AS taken`
  }
  const draw = async (caller: string): Promise<{ readonly left: number; readonly taken: number }> => {
    const [row] = await guarded(() => postgres.last<{ left: number; taken: number }>(drawSql(caller)))
    if (!row) throw new DaybookError('internal')
    return row
  }

  return {
    async spend(caller) {
      const name = createHash('sha256').update(caller).digest('hex')
      const own = drawn.get(name)
      if (own && own.left >= 1 && own.untilMs > clock.now()) {
        own.left -= 1
        return
      }
      const { left, taken } = await draw(name)
      if (taken < 1) {
        const retryAfterMs = Math.ceil(((1 - left) / perSecond) * 1000)
        throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
      }
      // Others may have drawn meanwhile, for the same caller.
      const before = drawn.get(name)
      const rest = before && before.untilMs > clock.now() ? before.left : 0
      drawn.set(name, { left: rest + taken - 1, untilMs: clock.now() + drawnMs })
    },
    async tidy() {
      for (const [name, { untilMs }] of drawn) if (untilMs <= clock.now()) drawn.delete(name)
      const fullAfterS = burst / perSecond
      await guarded(() =>
        postgres.last(`${enterSql(book, bypasses)};
          DELETE FROM daybook.rates WHERE book = '${book}' AND at < clock_timestamp() - interval '1 second' * ${fullAfterS}`),
      )
    },
  }
}
