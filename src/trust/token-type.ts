// What a type of tokens asks of each of them. Invariant: a token of a registered type is within the scope of that type, and
// has the permissions that it requires.
import { permitsAll } from '../core/access/permission.ts'
import { coversReach, readReach, type ScopeText } from '../core/access/reach.ts'
import { parseNames } from '../core/access/scope.ts'
import type { RecordReader } from '../core/capability/port/record-port.ts'
import { DaybookError } from '../core/errors.ts'
import { nameId } from '../core/text/name-id.ts'
import type { ControlToken } from './token-schema.ts'

/** The types there are without registering any. */
export const builtInTypes = ['capability_grant', 'resource_access', 'delegation', 'session'] as const

const wrong = (path: string, message: string) =>
  new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })

/** Throws unless the type is known and the token is one of that type. */
export function checkType(
  { type, permissions: given, ...spelled }: Pick<ControlToken, 'type' | 'permissions' | keyof ScopeText>,
  { rules }: Pick<RecordReader, 'rules'>,
): void {
  if (builtInTypes.some((one) => one === type)) return
  const id = nameId('token_type', type)
  const found = rules.get(id) as
    { readonly scope_pattern?: string; readonly required_permissions?: readonly string[] } | undefined
  if (!found) throw wrong('type', `\`${type.slice(0, 80)}\` is neither built in nor registered`)
  const pattern = parseNames((found.scope_pattern ?? '**').replaceAll(/\{[^{}]*\}/g, '*'))
  const asked = readReach(spelled)
  if (!pattern || !asked || !coversReach({ allow: [pattern], deny: [] }, asked))
    throw wrong('scope', `Tokens of type \`${type.slice(0, 80)}\` have a scope like ${found.scope_pattern}`)
  const missing = found.required_permissions?.find((one) => !permitsAll(given, one))
  if (missing !== undefined)
    throw wrong('permissions', `Tokens of type \`${type.slice(0, 80)}\` need \`${missing}\``)
}
