// Finds secrets in text to be stored, and handles them by the option `secrets` of the engine.
// Invariant: except under `warn` and `off`, no secret of known form is stored in clear: its record is sealed, or a
// placeholder replaces the secret.
import type { ConflictEntry, ConflictSide } from '../../core/op.ts'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/path.ts'
import { isOpenKind, type Kind } from '../../core/kind.ts'
import { parseWith } from '../../core/schema.ts'
import { isSealing, type Sensitivity } from '../../core/sealed.ts'
import { type FoundSecret, maskBody, secretsInNames, secretsOf } from '../../core/secret/body-secrets.ts'
import { markOf, secretInName } from '../../core/secret/find-secrets.ts'
import type { SecretMode, SecretOutcome } from '../../core/secret/stored-secrets.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

interface Unguarded {
  readonly kind: Kind
  readonly body: JsonObject
  readonly sensitivity: Sensitivity | undefined
}

/** The body as it may be stored, and the secrets found in it. */
export interface Guarded {
  readonly body: JsonObject
  readonly sensitivity: Sensitivity | undefined
  readonly found?: { readonly outcome: SecretOutcome; readonly secrets: readonly FoundSecret[] }
}

/** Names that a caller chooses, in the head of a record or in a call. */
export type HeadNames = Readonly<
  Partial<Record<'id' | 'session' | 'resource' | 'agent' | 'requestId', string | undefined>>
>

type Sides = Pick<Omit<ConflictEntry, 'id'>, 'loser' | 'winner'>

export interface SecretGuard {
  /**
   * Seals or masks a body that has a secret. Throws `invalid-input` if a masked body does not fit the schema of its
   * kind, or if a grant has a secret.
   */
  guard(unguarded: Unguarded): Guarded
  /** Masks secrets in the input of a task, which is stored in clear. Under `warn` and `off`, nothing is masked. */
  maskInput(input: Json): Json
  /** Masks a name that the log stores even if the call fails. Under `warn` and `off`, nothing is masked. */
  maskName(name: string): string
  /**
   * Throws `invalid-input` for a secret in a name that is never sealed: the id, session, resource and agent of a
   * record, the scope and requestId of a writing call, and the id of a recurring task.
   */
  checkNames(names: HeadNames): void
  /** Masks secrets in both sides of a conflict. Under `warn` and `off`, nothing is masked. */
  maskSides(sides: Sides): Sides
}

/** A guard that finds nothing, for copies whose records come from other copies. */
export const noSecretGuard = createSecretGuard('off', { state: () => 'off' })

/** `mode` undefined: `seal` while the book has its keys or may make them, else `mask`. */
export function createSecretGuard(
  mode: SecretMode | undefined,
  keychain: Pick<Keychain, 'state'>,
): SecretGuard {
  const modeFor = (kind: Kind): SecretMode => {
    // `unused`: no key was needed so far; the first seal makes one. `off`: this copy never has keys.
    const state = keychain.state()
    const usual = state === 'open' || state === 'unused' ? 'seal' : 'mask'
    const wanted = mode ?? usual
    // An open kind is never sealed, because every copy must read its records.
    return wanted === 'seal' && (isOpenKind(kind) || state === 'off') ? 'mask' : wanted
  }
  const isMasking = mode !== 'warn' && mode !== 'off'
  const maskSide = (side: ConflictSide): ConflictSide =>
    isMasking && side.body ? { ...side, body: maskBody(side.body).body } : side
  /** The last checked name of each field: most writes have the same session as the write before. */
  const checked = new Map<string, string>()
  return {
    guard(unguarded) {
      const { kind, body, sensitivity } = unguarded
      if (mode === 'off' || isSealing(sensitivity)) return unguarded
      if (kind.guests === 'none') {
        // A grant is signed, and every door reads it: its body can't be sealed or masked.
        if (isMasking) checkTexts(body)
        return unguarded
      }
      const secrets = secretsOf(body)
      if (secrets.length === 0) return unguarded
      switch (modeFor(kind)) {
        case 'seal':
          return { body, sensitivity: 'sensitive', found: { outcome: 'sealed', secrets } }
        case 'mask':
          return {
            ...unguarded,
            body: maskedBody(kind, body, secrets),
            found: { outcome: 'masked', secrets },
          }
        default:
          return { ...unguarded, found: { outcome: 'kept', secrets } }
      }
    },
    maskInput: (input) => (isMasking ? (maskBody({ input }).body['input'] ?? null) : input),
    maskName(name) {
      if (!isMasking || checked.get('caller') === name) return name
      const rule = secretInName(name)
      if (rule !== undefined) return markOf(rule, name)
      checked.set('caller', name)
      return name
    },
    checkNames(names) {
      if (!isMasking) return
      for (const [path, name] of Object.entries(names)) {
        if (name === undefined || checked.get(path) === name) continue
        const rule = secretInName(name)
        if (rule !== undefined) throw secretName(path, rule)
        checked.set(path, name)
      }
    },
    maskSides: ({ loser, winner }) => ({
      loser: maskSide(loser),
      ...(winner ? { winner: maskSide(winner) } : {}),
    }),
  }
}

/** Fields of grants that no person writes: keys, hashes, signatures, generated ids, the book's name. */
const madeFields = new Set([
  'book',
  'delegation_chain',
  'granted_by',
  'hash',
  'key',
  'lineage_hash',
  'policies',
  'public_key',
  'receipt',
  'request',
  'secret_hash',
  'signature',
  'token_id',
])

function checkTexts(body: JsonObject): void {
  const worded = Object.entries(body).filter(([name]) => !madeFields.has(name))
  const [first] = secretsInNames(Object.fromEntries(worded))
  if (first) throw secretName(first.path, first.rule)
}

function secretName(path: string, rule: string): DaybookError {
  return invalidInput(
    path,
    `There is a secret in this name (${rule}). Names are stored and sent in clear: use another one.`,
    { rule, reason: 'secret' },
  )
}

function maskedBody(kind: Kind, body: JsonObject, secrets: readonly FoundSecret[]): JsonObject {
  try {
    return parseWith(kind.schema, maskBody(body).body) as JsonObject
  } catch (cause) {
    const [first] = secrets
    throw new DaybookError(
      'invalid-input',
      `\`${first?.path}\`: There is a secret here (${first?.rule}) that can't be masked; store it without, or as sensitive where the book has its keys.`,
      { details: { path: first?.path, rule: first?.rule }, cause },
    )
  }
}
