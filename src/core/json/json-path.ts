// JSONPath (RFC 9535), only expressions that name places: `$.a.b`, `$['a b']`, `$.a[0]`, `$.a[-1]`, `$.a[*].b`.
// Invariant: a path is parsed once into steps, which the store compiles to SQL.
import { DaybookError } from '../errors.ts'

/** A member of an object, an element of a list (a negative index counts from the end), or all children. */
export type JsonStep =
  | { readonly step: 'member'; readonly name: string }
  | { readonly step: 'element'; readonly index: number }
  | { readonly step: 'children' }

export const jsonPathLimits = { length: 1000, steps: 16, wildcards: 4 } as const

const step =
  /(?:\.([\p{L}_][\p{L}\p{N}\p{M}_-]*)|\.(\*)|\[\s*(?:(\*)|(0|-?[1-9]\d{0,8})|'([^'\\\p{Cc}]*)'|"([^"\\\p{Cc}]*)")\s*\])/uy

/** Parses a path. Throws `invalid-filter` with the invalid part; `where`: name of the input, for the error. */
export function parseJsonPath(text: string, where = 'path'): JsonStep[] {
  const steps: JsonStep[] = []
  if (text.length > jsonPathLimits.length) throw wrong(where, text, 'is too long')
  if (!text.startsWith('$')) throw wrong(where, text, 'does not begin with `$`')
  for (step.lastIndex = 1; step.lastIndex < text.length;) {
    const from = step.lastIndex
    const match = step.exec(text)
    if (!match) throw wrong(where, text, `can't be read from \`${text.slice(from, from + 20)}\` on`)
    const [, bare, star, anotherStar, index, single, double] = match
    const name = bare ?? single ?? double
    if ((star ?? anotherStar) !== undefined) steps.push({ step: 'children' })
    else if (index !== undefined) steps.push({ step: 'element', index: Number(index) })
    // A quote in a name needs escapes, and databases parse those differently.
    else if (name !== undefined && !name.includes('"')) steps.push({ step: 'member', name })
    else throw wrong(where, text, 'has an unsupported member name')
  }
  const wildcards = steps.filter(({ step }) => step === 'children').length
  if (steps.length > jsonPathLimits.steps)
    throw wrong(where, text, `has more than ${jsonPathLimits.steps} steps`)
  if (wildcards > jsonPathLimits.wildcards)
    throw wrong(where, text, `has more than ${jsonPathLimits.wildcards} wildcards`)
  return steps
}

function wrong(where: string, text: string, message: string): DaybookError {
  const supported = "Supported: $ .name ['name'] [0] [-1] [*]"
  return new DaybookError('invalid-filter', `\`${text.slice(0, 80)}\` ${message}. ${supported}.`, {
    details: { path: where },
  })
}
