// Finding what is registered, by name. Every definition has the one id that its name gives, so this is a look-up.
// Invariant: a rule that a later Daybook wrote otherwise is not passed over: what it would hold is refused.
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import { nameId } from '../../../core/text/name-id.ts'
import { needUnderstood } from '../../../core/capability/understood.ts'
import { definitionKinds } from './definition-kind.ts'
import type { FactSchema, TokenType, TraceCategory } from './definition-schema.ts'
import type { JsonSchema } from '../json-schema/json-schema.ts'

type Records = Pick<RecordWriter, 'get'>

export const schemaId = (name: string): string => nameId('fact_schema', name)
export const categoryId = (domain: string, name: string): string => nameId('trace_category', domain, name)
export const tokenTypeId = (name: string): string => nameId('token_type', name)

/** The registered schema of this name. */
export function definedSchema(
  records: Records,
  name: string,
): (FactSchema & { readonly schema: JsonSchema }) | undefined {
  const found = records.get(schemaId(name))
  check(found, 'fact_schema')
  return found?.kind === 'fact_schema' ? (found as unknown as FactSchema & { schema: JsonSchema }) : undefined
}

/** The registered category of traces of the action `name` in `domain`. */
export function definedCategory(records: Records, domain: string, name: string): TraceCategory | undefined {
  const found = records.get(categoryId(domain, name))
  check(found, 'trace_category')
  return found?.kind === 'trace_category' ? (found as unknown as TraceCategory) : undefined
}

/** The registered token type of this name. */
export function definedTokenType(records: Records, name: string): TokenType | undefined {
  const found = records.get(tokenTypeId(name))
  check(found, 'token_type')
  return found?.kind === 'token_type' ? (found as unknown as TokenType) : undefined
}

function check(found: { readonly id: string; readonly kind: string } | undefined, name: string): void {
  const kind = definitionKinds.find((one) => one.name === name)
  if (kind && found?.kind === name) needUnderstood(kind, found)
}
