// Which kinds and which times a bundle is to hold, as callers name them.
import { DaybookError } from '../../core/errors.ts'
import { type Kind, type Kinds, pluralOf } from '../../core/kind.ts'
import { canonicalTime, formatTime, isDateOnly, parseTime } from '../../core/time.ts'

/** The kinds called by these names, of one record or of several. */
export function kindsCalled(kinds: Kinds, names: readonly string[], path = 'kinds'): Kind[] {
  return names.map((name, i) => {
    for (const kind of kinds.values()) if (kind.name === name || pluralOf(kind) === name) return kind
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
  return [...new Set([...named, ...(withGuarded ? [...kinds.values()].filter((kind) => kind.guarded) : [])])]
}

const dayMs = 86_400_000

/** The first instant of a range, and the first one after it. A date without a time stands for its whole day. */
export function rangeOf(
  from: string | undefined,
  to: string | undefined,
): { from?: string; before?: string } {
  const end = to === undefined ? undefined : (parseTime(to) ?? 0) + (isDateOnly(to) ? dayMs : 1)
  return {
    ...(from === undefined ? {} : { from: canonicalTime(from) ?? from }),
    ...(end === undefined ? {} : { before: formatTime(end) }),
  }
}
