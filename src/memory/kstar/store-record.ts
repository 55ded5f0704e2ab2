// Steps that the storing verbs of this chapter share: split off the scope, and detect a record that is already
// stored.
import { bodyOf, type Scope } from '../../core/record.ts'
import type { Sensitivity } from '../../core/sealed.ts'
import type { Trust } from '../../core/trusted.ts'
import type { WriteContext } from '../../core/capability/context.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import { type JsonObject, sameJson } from '../../core/json/path.ts'

interface Scoped {
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: Sensitivity | undefined
  readonly trust?: Trust | undefined
}

/** Splits `input` into its scope, without undefined fields, and the rest. */
export function splitScope<Input extends Scoped>(
  input: Input,
): { scope: Partial<Scope> & { sensitivity?: Sensitivity }; rest: Omit<Input, keyof Scoped> } {
  const { agent, session, resource, sensitivity, trust, ...rest } = input
  const scope = defined({ agent, session, resource, sensitivity, trust })
  return { scope, rest }
}

interface StoredCheck {
  readonly id: string | undefined
  readonly body: JsonObject
  /** Owner and sensitivity, only the fields that the caller passed. */
  readonly scope: object
  readonly replace: boolean
  /** Path of the id in the input, for the error. */
  readonly path: string
}

/**
 * True if the record `id` already exists with the same body and scope. Throws `conflict` if it differs and
 * `replace` is false. Always false with `replace`, or without an id: the caller then stores the record.
 */
export function isAlreadyStored(
  { id, body, scope, replace, path }: StoredCheck,
  { records }: WriteContext<'records'>,
): boolean {
  // Don't read a record to replace: it may be locked here.
  const existing = id === undefined || replace ? undefined : records.get(id)
  if (!existing) return false
  const newBody = JSON.parse(JSON.stringify(body)) as JsonObject
  const head: Readonly<Record<string, unknown>> = { sensitivity: 'standard', ...existing }
  const isSame =
    sameJson(bodyOf(existing), newBody) &&
    Object.entries(scope).every(([name, value]) => head[name] === value)
  if (isSame) return true
  const message = `Record \`${id}\` already exists with other content; pass replace: true to change it.`
  throw new DaybookError('conflict', message, { details: { path, id } })
}
