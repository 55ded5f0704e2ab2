// Checks the carriers in the options of a book, which a program may write itself.
import { invalidInput } from '../../core/errors.ts'
import { functionOption, listOption } from '../../core/option-check.ts'

/** A carrier's name: the pool stores sending progress under it. */
const carrierName = /^[\w.:-]{1,200}$/

function checkCarrier(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) throw invalidInput(path, 'Must be a carrier.')
  const carrier = value as Record<string, unknown>
  if (typeof carrier['name'] !== 'string' || !carrierName.test(carrier['name']))
    throw invalidInput(`${path}.name`, 'Must be 1 to 200 letters, digits, `.`, `_`, `:` or `-`.')
  for (const name of ['open', 'send', 'close']) functionOption(carrier[name], `${path}.${name}`)
  for (const name of ['degraded', 'isBehind'])
    if (carrier[name] !== undefined) functionOption(carrier[name], `${path}.${name}`)
}

/** Throws `invalid-input` with the path unless `value` is a list of carriers. */
export const carriersOption = listOption(checkCarrier)
