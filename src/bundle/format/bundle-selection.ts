// The kinds and the time range of an export or import. A separate file with few imports, because the command line
// loads it.
import { type Zone, beginningOf, endingOf } from '../../core/zone.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import { type Kind, kindCalled, type Kinds, pluralOf } from '../../core/kind.ts'
import { formatTime, parseTime } from '../../core/time.ts'

/** The kinds of these names, in singular or plural. Throws `invalid-input` for an unknown name. */
export function kindsByNames(kinds: Kinds, names: readonly string[], path = 'kinds'): Kind[] {
  return names.map((name, i) => {
    const kind = kindCalled(kinds, name)
    if (kind) return kind
    throw new DaybookError(
      'invalid-input',
      `\`${path}.${i}\`: No kind of record is called \`${name.slice(0, 80)}\`.`,
      {
        details: { path: `${path}.${i}`, allowed: [...kinds.values()].map(pluralOf) },
      },
    )
  })
}

/**
 * The kinds to export: the named ones (default: all that grant no rights), and always the kinds of marks.
 * `withGrants` adds all kinds that grant rights; without it, naming one throws `invalid-input`.
 */
export function exportedKinds(
  kinds: Kinds,
  names: readonly string[] | undefined,
  withGrants: boolean,
): Kind[] {
  const chosen = names ? kindsByNames(kinds, names) : [...kinds.values()].filter((kind) => !kind.grantsRights)
  const granting = chosen.find((kind) => kind.grantsRights)
  if (granting && !withGrants) {
    throw new DaybookError(
      'invalid-input',
      `\`kinds\`: To export ${pluralOf(granting)}, set \`includeTokens\`.`,
      { details: { path: 'includeTokens' } },
    )
  }
  // Marks go with their records, even if `names` leaves out marks.
  const markKinds = [...kinds.values()].filter((kind) => kind.marks !== undefined)
  const grantingKinds = withGrants ? [...kinds.values()].filter((kind) => kind.grantsRights) : []
  return [...new Set([...chosen, ...grantingKinds, ...markKinds])]
}

/**
 * `from`: the first instant of a range. `before`: the first instant after it. A date is its whole day in `zone`.
 * The input's schema has checked `from` and `to`. Throws `invalid-input` if `from` is later than `to`.
 */
export function rangeOf(
  from: string | undefined,
  to: string | undefined,
  zone: Zone,
): { from?: string; before?: string } {
  const first = from === undefined ? undefined : beginningOf(from, zone)
  const before = to === undefined ? undefined : formatTime((parseTime(endingOf(to, zone)) ?? 0) + 1)
  if (first !== undefined && before !== undefined && first >= before)
    throw invalidInput('from', 'is later than `to`')
  return defined({ from: first, before })
}
