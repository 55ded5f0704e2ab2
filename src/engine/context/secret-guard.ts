// Looks for secrets in what is to be stored, and does with them what the option of the book says.
// Invariant: unless the owner asked for it, no secret of known form is stored in clear: its record is sealed, or a mark
// stands in its place.
import type { ConflictEntry, ConflictSide } from '../../core/conflict.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/path.ts'
import { isOpenKind, type Kind } from '../../core/kind.ts'
import { parseWith } from '../../core/schema.ts'
import { isSealing, type Sensitivity } from '../../core/sealed.ts'
import { type FoundSecret, maskBody, secretsInNames, secretsOf } from '../../core/secret/body-secrets.ts'
import { markOf, secretInName } from '../../core/secret/find-secrets.ts'
import type { SecretMode, SecretOutcome } from '../../core/secret/stored-secrets.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

/** What is to be stored. */
interface Unguarded {
  readonly kind: Kind
  readonly body: JsonObject
  readonly sensitivity: Sensitivity | undefined
}

/** The same, as it may be stored, and what was found in it. */
export interface Guarded {
  readonly body: JsonObject
  readonly sensitivity: Sensitivity | undefined
  readonly found?: { readonly outcome: SecretOutcome; readonly secrets: readonly FoundSecret[] }
}

/** What of a head, or of a call, users name. */
export type HeadNames = Readonly<
  Partial<Record<'id' | 'session' | 'resource' | 'agent' | 'requestId', string | undefined>>
>

type Sides = Pick<Omit<ConflictEntry, 'id'>, 'lost' | 'kept'>

export interface SecretGuard {
  /** `invalid-input` where a body no longer fits its kind with marks in it. */
  guard(given: Unguarded): Guarded
  /** What waits in the task queue, in clear: only `warn` and `off` leave its secrets there. */
  maskInput(input: Json): Json
  /** Of a name that is written down whatever becomes of the call. */
  maskName(name: string): string
  /**
   * Throws for a secret in what is stored and sent in clear of every record: its id, and the names of its session, resource and
   * agent; in the scope and the requestId of a call that may write, which are stored too; and in the id of a task that comes round.
   * They are never sealed.
   */
  checkNames(names: HeadNames): void
  /** The same for both sides of a conflict. */
  maskSides(sides: Sides): Sides
}

/** Nobody looks: for copies whose records are made elsewhere. */
export const noSecretGuard = createSecretGuard('off', { state: () => 'off' })

/** Without a `mode`: `seal` while the book has its keys, or may make them; else `mask`. */
export function createSecretGuard(
  mode: SecretMode | undefined,
  keychain: Pick<Keychain, 'state'>,
): SecretGuard {
  const modeFor = (kind: Kind): SecretMode => {
    const state = keychain.state()
    const usual = state === 'open' || state === 'unused' ? 'seal' : 'mask'
    const asked = mode ?? usual
    return asked === 'seal' && (isOpenKind(kind) || state === 'off') ? 'mask' : asked
  }
  const isMasking = mode !== 'warn' && mode !== 'off'
  const maskSide = (side: ConflictSide): ConflictSide =>
    isMasking && side.body ? { ...side, body: maskBody(side.body).body } : side
  /** Names that were looked at last: most writes are of one session. */
  const known = new Map<string, string>()
  return {
    guard(given) {
      const { kind, body, sensitivity } = given
      if (mode === 'off' || isSealing(sensitivity)) return given
      if (kind.guests === 'none') {
        // Signed, and read by every door: neither sealed nor masked.
        if (isMasking) checkTexts(body)
        return given
      }
      const secrets = secretsOf(body)
      if (secrets.length === 0) return given
      switch (modeFor(kind)) {
        case 'seal':
          return { body, sensitivity: 'sensitive', found: { outcome: 'sealed', secrets } }
        case 'mask':
          return { ...given, body: maskedBody(kind, body, secrets), found: { outcome: 'masked', secrets } }
        default:
          return { ...given, found: { outcome: 'kept', secrets } }
      }
    },
    maskInput: (input) => (isMasking ? (maskBody({ input }).body['input'] ?? null) : input),
    maskName(name) {
      if (!isMasking || known.get('caller') === name) return name
      const rule = secretInName(name)
      if (rule !== undefined) return markOf(rule, name)
      known.set('caller', name)
      return name
    },
    checkNames(names) {
      if (!isMasking) return
      for (const [path, name] of Object.entries(names)) {
        if (name === undefined || known.get(path) === name) continue
        const rule = secretInName(name)
        if (rule !== undefined) throw secretName(path, rule)
        known.set(path, name)
      }
    },
    maskSides: ({ lost, kept }) => ({
      lost: maskSide(lost),
      ...(kept ? { kept: maskSide(kept) } : {}),
    }),
  }
}

/** Fields of what grants rights that no person words: keys, hashes, signatures, ids that a book makes, and its name. */
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
