// Seals bodies before they are written and opens them after they are read; no other code does.
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

export interface Bodies {
  readonly sealer: Sealer
  /** Seals the text of a body. Throws `locked` without a key. */
  seal(owner: SealedOwner, text: string): string
  /** The body in a stored text; undefined while its key is missing. */
  read(owner: SealedOwner, text: string): JsonObject | undefined
  /** The content of a sealed body; undefined while its key is missing. */
  readSealed(owner: SealedOwner, sealed: SealedBody): JsonObject | undefined
  /** As `read`, but throws `locked` with the reason while the key is missing. */
  need(owner: SealedOwner, text: string): JsonObject
  /** The stored text in clear; undefined while its key is missing. */
  open(owner: SealedOwner, text: string): string | undefined
}

export function createBodies(kinds: Kinds, sealer: Sealer): Bodies {
  const open = (owner: SealedOwner, text: string): string | undefined => {
    const sealed = sealedOf(text)
    return sealed ? sealer.open({ kind: owner.kind, id: owner.id }, sealed) : text
  }
  const read = (owner: SealedOwner, text: string): JsonObject | undefined => {
    const plain = open(owner, text)
    return plain === undefined ? undefined : (JSON.parse(plain) as JsonObject)
  }
  return {
    sealer,
    open,
    read,
    readSealed: (owner, sealed) => read(owner, sealedText(sealed)),
    seal({ kind, id, head }, text) {
      if (isSealedText(text)) return text
      return sealedText(sealer.seal({ kind, id, head }, kinds.get(kind)?.version ?? 0, text))
    },
    need(owner, text) {
      const body = read(owner, text)
      if (body) return body
      throw lockedError(sealer, { kind: owner.kind, id: owner.id }, sealedOf(text))
    },
  }
}
