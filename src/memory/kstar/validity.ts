// When a statement is true in the world, beside when the book learned it (`created_at`).
// Invariant: a verb stores no validity that ends before it begins. A merge of two devices may make one: it then counts
// at no time.
import { invalidInput } from '../../core/errors.ts'
import { beginningOf, endingOf, localTime, type Zone } from '../../core/zone.ts'
import { instant, timeInZone } from '../../shape/field.ts'

/** Fields of an input. In the zone of the book; a bare date means its whole day. */
export const validityInput = {
  valid_from: timeInZone.optional(),
  valid_until: timeInZone.optional(),
}

/** Fields of a body. */
export const validityFields = {
  valid_from: instant.optional(),
  valid_until: instant.optional(),
}

type Time = string | null | undefined
interface Validity {
  readonly valid_from?: Time
  readonly valid_until?: Time
}

/** Returns `fields` with canonical times: the start of a first day, the end of a last day. */
export function canonicalValidity<Fields extends Validity>(fields: Fields, zone: Zone): Fields {
  const canonical = (field: keyof Validity, edge: typeof endingOf) => {
    const time = fields[field]
    return time === undefined ? {} : { [field]: time && edge(localTime(time, zone), zone) }
  }
  return { ...fields, ...canonical('valid_from', beginningOf), ...canonical('valid_until', endingOf) }
}

/** Throws `invalid-input` for a validity of canonical times that ends before it begins, or at once. */
export function assertValidity({ valid_from: from, valid_until: until }: Validity, path: string): void {
  if (from && until && until <= from) throw invalidInput(path, `It must be after \`valid_from\` (${from})`)
}
