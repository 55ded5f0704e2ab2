// Which kinds and which times a bundle is to hold, as callers name them.
import { beginningOf, endingOf } from '../../core/calendar/day.ts'
import type { Zone } from '../../core/calendar/zone.ts'
import { DaybookError } from '../../core/errors.ts'
import { type Kind, kindCalled, type Kinds, pluralOf } from '../../core/kind.ts'
import { formatTime, parseTime } from '../../core/time.ts'

/** The kinds called by these names, of one record or of several. */
export function kindsCalled(kinds: Kinds, names: readonly string[], path = 'kinds'): Kind[] {
  return names.map((name, i) => {
    const kind = kindCalled(kinds, name)
    if (kind) return kind
    throw new DaybookError(
      'invalid-input',
      `\`${path}.${i}\`: There are no records called \`${name.slice(0, 80)}\`.`,
      {
        details: { path: `${path}.${i}`, known: [...kinds.values()].map(pluralOf) },
      },
    )
  })
}

/** The kinds to export: those named, or all. What is guarded comes only when it is asked for expressly. */
export function exportedKinds(
  kinds: Kinds,
  names: readonly string[] | undefined,
  withGuarded: boolean,
): Kind[] {
  const named = names ? kindsCalled(kinds, names) : [...kinds.values()].filter((kind) => !kind.guarded)
  const guarded = named.find((kind) => kind.guarded)
  if (guarded && !withGuarded) {
    throw new DaybookError(
      'invalid-input',
      `\`kinds\`: ${pluralOf(guarded)} are exported with \`include_tokens\` only.`,
      { details: { path: 'include_tokens' } },
    )
  }
  // What was said of records goes with them, whatever is named.
  const beside = [...kinds.values()].filter((kind) => kind.marks !== undefined)
  const asked = withGuarded ? [...kinds.values()].filter((kind) => kind.guarded) : []
  return [...new Set([...named, ...asked, ...beside])]
}

/** The first instant of a range, and the first one after it. A date without a time stands for its whole day in `zone`. */
export function rangeOf(
  from: string | undefined,
  to: string | undefined,
  zone: Zone,
): { from?: string; before?: string } {
  const end = to === undefined ? undefined : (parseTime(endingOf(to, zone)) ?? 0) + 1
  return {
    ...(from === undefined ? {} : { from: beginningOf(from, zone) }),
    ...(end === undefined ? {} : { before: formatTime(end) }),
  }
}
