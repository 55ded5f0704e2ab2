// From the words of a user to an FTS5 expression: every word quoted, so that no text is ever syntax.
import { DaybookError } from '../core/errors.ts'
import { type Kind, whenField } from '../core/kind.ts'
import { isWithin } from '../core/path.ts'

/** Longest text that is searched for, in UTF-16 units, and most words taken from it. */
export const textQueryLimits = { length: 10_000, words: 64 } as const

const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The words of `text`, lower-cased, each once, in order. */
export function wordsOf(text: string): string[] {
  const cut = text.slice(0, textQueryLimits.length).toLowerCase()
  return [...new Set(cut.match(word) ?? [])].slice(0, textQueryLimits.words)
}

/** An FTS5 expression for `words`, or undefined when there is none. `columns` restricts it to those fields. */
export function matchExpression(
  words: readonly string[],
  options: {
    match?: 'any' | 'all' | undefined
    prefix?: boolean | undefined
    columns?: readonly number[] | undefined
  } = {},
): string | undefined {
  if (words.length === 0) return undefined
  const terms = words.map((text) => `"${text.replaceAll('"', '""')}"`)
  if (options.prefix) terms[terms.length - 1] += '*'
  const expression = terms.join(options.match === 'all' ? ' AND ' : ' OR ')
  if (options.columns === undefined) return expression
  return `{${options.columns.map((column) => `t${column}`).join(' ')}} : (${expression})`
}

/** The columns of the text index that hold `fields` of `kind`; throws when one of them is not searchable. */
export function columnsOf(fields: readonly string[], kind: Kind): number[] {
  const columns = fields.flatMap((field, i) => {
    const found = kind.text.flatMap((path, column) => (isWithin(path, field) ? [column] : []))
    if (found.length > 0) return found
    const searchable = kind.text.filter((path) => path !== whenField)
    throw new DaybookError('invalid-input', `\`${field.slice(0, 80)}\` is not searchable.`, {
      details: { path: `fields.${i}`, searchable },
    })
  })
  return [...new Set(columns)]
}
