// Looks for secrets in text to be stored, and handles them as the book's option says.
// Invariant: unless the owner wants it, no secret of known form is stored in clear: its record is sealed, or a mark replaces it.
import type { ConflictEntry, ConflictSide } from '../../core/op.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/path.ts'
import { isOpenKind, type Kind } from '../../core/kind.ts'
import { parseWith } from '../../core/schema.ts'
import { isSealing, type Sensitivity } from '../../core/sealed.ts'
import { type FoundSecret, maskBody, secretsInNames, secretsOf } from '../../core/secret/body-secrets.ts'
import { markOf, secretInName } from '../../core/secret/find-secrets.ts'
import type { SecretMode, SecretOutcome } from '../../core/secret/stored-secrets.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

/** A body to be stored. */
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

/** Names that users choose, in a head or a call. */
export type HeadNames = Readonly<
  Partial<Record<'id' | 'session' | 'resource' | 'agent' | 'requestId', string | undefined>>
>

type Sides = Pick<Omit<ConflictEntry, 'id'>, 'loser' | 'winner'>

export interface SecretGuard {
  /** `invalid-input` where a body no longer fits its kind with marks in it. */
  guard(unguarded: Unguarded): Guarded
  /** Masks the input of a task, which is stored in clear, except under `warn` and `off`. */
  maskInput(input: Json): Json
  /** Masks a name that is logged whatever the outcome. */
  maskName(name: string): string
  /**
   * Throws for a secret in a name that is stored or sent in clear and never sealed: the id, session, resource and agent of a
   * record, the scope and requestId of a writing call, and the id of a recurring task.
   */
  checkNames(names: HeadNames): void
  /** Masks both sides of a conflict. */
  maskSides(sides: Sides): Sides
}

/** Looks for nothing: for copies whose records are made elsewhere. */
export const noSecretGuard = createSecretGuard('off', { state: () => 'off' })

/** Without a `mode`: `seal` while the book has its keys or may make them, else `mask`. */
export function createSecretGuard(
  mode: SecretMode | undefined,
  keychain: Pick<Keychain, 'state'>,
): SecretGuard {
  const modeFor = (kind: Kind): SecretMode => {
    const state = keychain.state()
    const usual = state === 'open' || state === 'unused' ? 'seal' : 'mask'
    const wanted = mode ?? usual
    return wanted === 'seal' && (isOpenKind(kind) || state === 'off') ? 'mask' : wanted
  }
  const isMasking = mode !== 'warn' && mode !== 'off'
  const maskSide = (side: ConflictSide): ConflictSide =>
    isMasking && side.body ? { ...side, body: maskBody(side.body).body } : side
  /** The names checked last: most writes are of one session. */
  const checked = new Map<string, string>()
  return {
    guard(unguarded) {
      const { kind, body, sensitivity } = unguarded
      if (mode === 'off' || isSealing(sensitivity)) return unguarded
      if (kind.guests === 'none') {
        // Signed, and read by every door: it can't be sealed or masked.
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
  return new DaybookError(
    'invalid-input',
    `\`${path}\`: There is a secret in this name (${rule}). Names are stored and sent in clear: use another one.`,
    { details: { path, rule, reason: 'secret' } },
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
