// Errors of the JSON Schema validator in plain words.
import type { OutputUnit } from '@cfworker/json-schema'
import type { Json } from '../../../core/json/path.ts'
import { notAllowed, typeWord } from '../../../core/plain-issue.ts'

/** `#`: the limit, which the text of the validator contains. */
const limitWords: Readonly<Record<string, string>> = {
  minItems: 'Must have at least # items.',
  maxItems: 'Must have at most # items.',
  minContains: 'Must have at least # items that match `contains`.',
  maxContains: 'Must have at most # items that match `contains`.',
  minProperties: 'Must have at least # fields.',
  maxProperties: 'Must have at most # fields.',
  minLength: 'Must have at least # characters.',
  maxLength: 'Must have at most # characters.',
  minimum: 'Must be at least #.',
  maximum: 'Must be at most #.',
  exclusiveMinimum: 'Must be more than #.',
  exclusiveMaximum: 'Must be less than #.',
  multipleOf: 'Must be a multiple of #.',
}
/** After `at least`, or at the end, also in parentheses. */
const limitPattern = /at least (\d+)|at most (\d+)|(-?\d\S*?)\)?\.$/

const fixedWords: Readonly<Record<string, string>> = {
  false: 'It is not allowed here.',
  anyOf: 'It has none of the forms that the schema allows.',
  not: 'It has a form that the schema excludes.',
  contains: 'No item matches `contains`.',
  uniqueItems: 'It has an item twice.',
  pattern: 'It does not match the pattern of the schema.',
}

const shown = (value: unknown) => (typeof value === 'string' ? `\`${value}\`` : JSON.stringify(value))

/** Returns the fault of `value`, the value at the error's place, as a sentence. */
export function plainFault({ keyword, error }: OutputUnit, value: Json | undefined): string {
  const fixed = fixedWords[keyword]
  if (fixed !== undefined) return fixed
  const limit = limitPattern.exec(error)?.slice(1).find(Boolean)
  const words = limitWords[keyword]
  if (words !== undefined && limit !== undefined)
    return words.replace('#', limit).replace(/ 1 (item|field|character)s/, ' 1 $1')
  const types = /Expected "(.*)"\.$/.exec(error)?.[1]?.split('", "')
  if (keyword === 'type' && types) return `${notAllowed(types.map(typeWord), value)}.`
  const only = /does not match (any of )?(.*)\.$/su.exec(error)
  if ((keyword === 'enum' || keyword === 'const') && only) {
    const parsed = JSON.parse(only[2] ?? '') as unknown
    return `${notAllowed((only[1] ? (parsed as unknown[]) : [parsed]).map(shown), value)}.`
  }
  const matches = /\((\d+) matches\)/.exec(error)?.[1]
  if (keyword === 'oneOf')
    return matches === '0'
      ? 'It has none of the forms that the schema allows.'
      : 'It has more than one of the forms of which the schema allows one.'
  const [, has, needed] = /^Instance has "(.*)" but does not have "(.*)"\.$/su.exec(error) ?? []
  if (has !== undefined) return `It has \`${has}\`, so it needs \`${needed}\`.`
  const format = /format "(.*)"/.exec(error)?.[1]
  if (keyword === 'format') return `It is not a valid \`${format}\`.`
  return 'It does not match.'
}
