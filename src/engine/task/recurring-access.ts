// Sets up, changes and ends recurring tasks of the owner and of the chapters.
// Invariant: a chapter's task that the owner changed or cancelled keeps that state, also in later versions of
// Daybook.
import type { Recurrence, Recurring, RecurringRequest } from '../../core/capability/task.ts'
import { formatTime, parseDuration, parseTime } from '../../core/time.ts'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import type { Scope } from '../../core/record.ts'
import type { Schedules } from '../../store/schedules.ts'

/** Shortest and longest period, and most recurring tasks in one copy of a book. */
export const recurringLimit = { leastMs: 60_000, mostMs: 366 * 86_400_000, count: 100 } as const

export interface RecurringParts {
  readonly schedules: Schedules
  /** Throws unless `capability` can be called with `input` and may be queued. */
  check(capability: string, input: unknown): void
  /** Throws `invalid-input` for a secret in the id. */
  checkNames(names: { readonly id: string }): void
  /** Masks secrets in an input before it is stored. */
  cover(input: Json): Json
}

/**
 * Sets up a recurring task, or changes the task with this id. Call it only inside a transaction. Throws
 * `invalid-input` for a wrong field, and `too-large` if too many tasks exist.
 */
export function schedule(
  { schedules, check, checkNames, cover }: RecurringParts,
  { id, maxAttempts, firstAt, ...request }: RecurringRequest,
  scope: Scope,
  now: string,
): Recurrence {
  const before = schedules.get(id)
  const capability = request.capability ?? before?.capability
  const everyMs = request.everyMs ?? before?.everyMs
  if (capability === undefined) throw invalidInput('capability', 'A new task needs a capability')
  if (everyMs === undefined) throw invalidInput('every', 'A new task needs a period')
  if (!(everyMs >= recurringLimit.leastMs && everyMs <= recurringLimit.mostMs))
    throw invalidInput('every', 'It must be from a minute (1m) to 366 days')
  const isSame = capability === before?.capability
  const input = request.input === undefined && isSame ? before.input : ((request.input ?? null) as Json)
  // A stored null means no input.
  check(capability, input ?? undefined)
  if (!before) checkNames({ id })
  if (!before && schedules.list().length >= recurringLimit.count) {
    throw new DaybookError(
      'too-large',
      `${recurringLimit.count} recurring tasks exist already; end one first.`,
      {
        details: { path: 'id', limit: recurringLimit.count },
      },
    )
  }
  const soonest = formatTime((parseTime(now) ?? 0) + everyMs)
  const isSameClock = before?.state === 'active' && everyMs === before.everyMs
  const made: Recurrence = {
    ...(before ?? { rounds: 0, createdAt: now }),
    id,
    capability,
    input: cover(input),
    scope: before?.scope ?? scope,
    everyMs,
    maxAttempts: maxAttempts ?? before?.maxAttempts ?? 5,
    by: 'owner',
    state: 'active',
    nextAt: firstAt ?? (isSameClock ? before.nextAt : soonest),
  }
  schedules.put(made)
  return made
}

/**
 * Ends the task with this id, and returns it; undefined if there is no active task. A task in `declared` is stored as
 * cancelled: the next opening, or the chapter's verb, would otherwise set it up again.
 */
export function unschedule(
  { schedules }: Pick<RecurringParts, 'schedules'>,
  declared: readonly Recurring[],
  id: string,
): Recurrence | undefined {
  const before = schedules.get(id)
  if (!before || before.state === 'cancelled') return undefined
  if (declared.some((one) => one.id === id)) schedules.put({ ...before, by: 'owner', state: 'cancelled' })
  else schedules.remove(id)
  return before
}

/**
 * Returns a write that stores the chapters' tasks as declared now; undefined if nothing differs. `writtenKinds`:
 * the kinds of which a record was written since the opening. Run the write inside a transaction.
 */
export function declaredChanges(
  {
    schedules,
    check,
    writtenKinds,
  }: Pick<RecurringParts, 'schedules' | 'check'> & { writtenKinds: ReadonlySet<string> },
  declared: readonly Recurring[],
  scope: Scope,
  now: string,
): (() => void) | undefined {
  const all = new Map(schedules.list().map((one) => [one.id, one]))
  const put = declared.flatMap((one): Recurrence[] => {
    const before = all.get(one.id)
    // `byVerb`: a verb of the chapter sets the task up. `kind`: the task starts with the first record of this kind.
    if (one.byVerb || before?.by === 'owner') return []
    if (!before && one.kind !== undefined && !writtenKinds.has(one.kind)) return []
    const everyMs = parseDuration(one.every) ?? 0
    if (everyMs < recurringLimit.leastMs)
      throw new DaybookError('internal', `\`${one.id}\` recurs too often.`)
    const { id, capability, input = null, maxAttempts = 5 } = one
    const isSame =
      before?.capability === capability &&
      before.everyMs === everyMs &&
      before.maxAttempts === maxAttempts &&
      JSON.stringify(before.input) === JSON.stringify(input)
    if (isSame) return []
    check(capability, input ?? undefined)
    const own = {
      id,
      capability,
      input,
      scope,
      everyMs,
      maxAttempts,
      by: 'chapter',
      state: 'active',
    } as const
    // A task that waited for a kind has its first round one period after the first record.
    const nextAt = one.kind === undefined ? now : formatTime((parseTime(now) ?? 0) + everyMs)
    return [{ rounds: 0, createdAt: now, nextAt, ...before, ...own }]
  })
  const wanted = new Set(declared.map(({ id }) => id))
  const undeclared = [...all.values()].filter((one) => one.by === 'chapter' && !wanted.has(one.id))
  if (put.length + undeclared.length === 0) return undefined
  return () => {
    for (const one of put) schedules.put(one)
    for (const { id } of undeclared) schedules.remove(id)
  }
}
