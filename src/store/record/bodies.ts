// Seals bodies before they are written and decrypts stored bodies: the only code of the store that does so.
// Invariant: a body that must be sealed never reaches the database in clear.
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import {
  isSealedText,
  lockedError,
  type SealedBody,
  type SealedOwner,
  type Sealer,
  sealedOf,
  sealedText,
} from '../../core/sealed.ts'

/** A sealed text opens only for its owner: the record, or the entry of a log, for which it was sealed. */
export class Bodies {
  readonly sealer: Sealer
  readonly #kinds: Kinds

  constructor(kinds: Kinds, sealer: Sealer) {
    this.#kinds = kinds
    this.sealer = sealer
  }

  /** Seals the text of a body; a text that is sealed already stays as it is. Throws `locked` without a key. */
  seal({ kind, id, head }: SealedOwner, text: string): string {
    if (isSealedText(text)) return text
    return sealedText(this.sealer.seal({ kind, id, head }, this.#kinds.get(kind)?.version ?? 0, text))
  }

  /** A stored text in clear, decrypted if sealed; undefined while its key is missing. */
  open({ kind, id }: SealedOwner, text: string): string | undefined {
    const sealed = sealedOf(text)
    return sealed ? this.sealer.open({ kind, id }, sealed) : text
  }

  /** The body in a stored text; undefined while its key is missing. */
  read(owner: SealedOwner, text: string): JsonObject | undefined {
    const plain = this.open(owner, text)
    return plain === undefined ? undefined : (JSON.parse(plain) as JsonObject)
  }

  /** The content of a sealed body; undefined while its key is missing. */
  readSealed(owner: SealedOwner, sealed: SealedBody): JsonObject | undefined {
    return this.read(owner, sealedText(sealed))
  }

  /** Like `read`, but throws `locked` with the reason while the key is missing. */
  readOrThrow({ kind, id }: SealedOwner, text: string): JsonObject {
    const body = this.read({ kind, id }, text)
    if (body) return body
    throw lockedError(this.sealer, { kind, id }, sealedOf(text))
  }
}
