// The kinds and the time range of an export or import. A separate file with few imports, because the command line
// loads it.
import { type Zone, beginningOf, endingOf } from '../../core/zone.ts'
import { DaybookError } from '../../core/errors.ts'
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
 * The input's schema has checked `from` and `to`.
 */
export function rangeOf(
  from: string | undefined,
  to: string | undefined,
  zone: Zone,
): { from?: string; before?: string } {
  const beforeMs = to === undefined ? undefined : (parseTime(endingOf(to, zone)) ?? 0) + 1
  return {
    ...(from === undefined ? {} : { from: beginningOf(from, zone) }),
    ...(beforeMs === undefined ? {} : { before: formatTime(beforeMs) }),
  }
}
