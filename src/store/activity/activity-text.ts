// The texts of an activity entry: its question and its context. They are sealed in a book with keys, in clear
// in a book without keys, and not stored while the book is locked.
// Invariant: a sealed text can be decrypted only as the same part of the same entry.
import type { ActivityNote, RecallQuestion, MissingReason } from '../../core/capability/activity.ts'
import { sealingAlgorithm } from '../../core/sealed.ts'
import type { Bodies } from '../record/bodies.ts'

type TextField = 'question' | 'context'

export interface StoredTexts {
  readonly question: string | null
  readonly context: string | null
  /** Why they are missing (absent when stored): `forgotten` record, `locked` book, or too large `size`. */
  readonly missing?: MissingReason
}

export interface ActivityTexts {
  /** The texts to store for the entry `n`. */
  toStored(n: number, note: Pick<ActivityNote, 'question' | 'context'>): StoredTexts
  /** The stored texts, sealed under the current key; none, with `missing`, when the old key is not here. */
  reseal(n: number, stored: StoredTexts): StoredTexts
  /** The question and its options; undefined without its key. */
  question(n: number, stored: string): RecallQuestion | undefined
  /** The context; undefined without its key. */
  context(n: number, stored: string): string | undefined
  /** False while the book is locked: then sealed texts can't be decrypted. */
  isUnlocked(): boolean
  /** The first characters of every text that is sealed under the current key; undefined without a key. */
  sealedPrefix(): string | undefined
}

/** The longest texts that are stored, in UTF-16 units of JSON: about fifty thousand tokens. */
const maxStoredChars = 200_000
const noTexts = { question: null, context: null } as const

export function createActivityTexts(bodies: Bodies): ActivityTexts {
  const { sealer } = bodies
  const ownerOf = (n: number, part: TextField) => ({ kind: 'activity', id: `${n}.${part}` })
  const decrypt = (n: number, part: TextField, stored: string) => bodies.open(ownerOf(n, part), stored)
  /** A book without keys is unlocked too. */
  const isUnlocked = () =>
    sealer.current() !== undefined || !['passphrase', 'keys-lost'].includes(sealer.reason())
  /** A text in clear is the JSON of an object or a string; a sealed text is a JSON array. */
  const encrypt = (n: number, part: TextField, json: string) =>
    sealer.current() === undefined ? json : bodies.seal(ownerOf(n, part), json)

  return {
    isUnlocked,
    toStored(n, note) {
      if (!isUnlocked()) return { ...noTexts, missing: 'locked' }
      const question = JSON.stringify(note.question)
      const text = note.context && JSON.stringify(note.context.text)
      if (question.length + (text?.length ?? 0) > maxStoredChars) return { ...noTexts, missing: 'size' }
      return {
        question: encrypt(n, 'question', question),
        context: text === undefined ? null : encrypt(n, 'context', text),
      }
    },
    reseal(n, stored) {
      const question = stored.question === null ? undefined : decrypt(n, 'question', stored.question)
      const context = stored.context === null ? undefined : decrypt(n, 'context', stored.context)
      if (question === undefined) return { ...noTexts, missing: 'locked' }
      return {
        question: encrypt(n, 'question', question),
        context: context === undefined ? null : encrypt(n, 'context', context),
      }
    },
    question(n, stored) {
      const json = decrypt(n, 'question', stored)
      return json === undefined ? undefined : (JSON.parse(json) as RecallQuestion)
    },
    context(n, stored) {
      const json = decrypt(n, 'context', stored)
      return json === undefined ? undefined : (JSON.parse(json) as string)
    },
    sealedPrefix() {
      const kid = sealer.current()
      return kid === undefined ? undefined : JSON.stringify([sealingAlgorithm, kid]).slice(0, -1)
    },
  }
}
