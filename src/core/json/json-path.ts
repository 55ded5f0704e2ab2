// JSONPath (RFC 9535), the subset that only names places: `$.a.b`, `$['a b']`, `$.a[0]`, `$.a[-1]`, `$.a[*].b`.
// Invariant: paths are parsed once into steps, which the store compiles to SQL.
import { DaybookError } from '../errors.ts'

/** A member of an object, an element of a list (negative: from its end), or all children of either. */
export type JsonStep =
  | { readonly step: 'member'; readonly name: string }
  | { readonly step: 'element'; readonly index: number }
  | { readonly step: 'children' }

export const jsonPathLimits = { length: 1000, steps: 16, wildcards: 4 } as const

const step =
  /(?:\.([\p{L}_][\p{L}\p{N}\p{M}_-]*)|\.(\*)|\[\s*(?:(\*)|(0|-?[1-9]\d{0,8})|'([^'\\\p{Cc}]*)'|"([^"\\\p{Cc}]*)")\s*\])/uy

/** Parses a path, or throws `invalid-filter` with the part it can't read. `where` names the input. */
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
    // A quote inside a name would need escapes, which databases read differently.
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
