// The texts of an entry of the activity, the log of recalls: the question, and the text for a prompt if the call returned
// one. A book with keys seals them, a book without keys stores them in clear, and a locked book stores none.
// Invariant: a sealed text can be opened only as the same part of the same entry.
import type { ActivityNote, RecallQuestion, MissingReason } from '../../core/capability/activity.ts'
import { sealingAlgorithm } from '../../core/sealed.ts'
import type { Bodies } from '../record/bodies.ts'

type TextField = 'question' | 'context'

export interface StoredTexts {
  readonly question: string | null
  readonly context: string | null
  /** Why there are no texts: see `missingReasons` in core/capability/activity.ts. Absent if there are. */
  readonly missing?: MissingReason
}

export interface ActivityTexts {
  /** Returns the texts to store for the entry `n`. */
  toStored(n: number, note: Pick<ActivityNote, 'question' | 'context'>): StoredTexts
  /**
   * Returns the stored texts, sealed under the current key. Returns none, with `missing: 'locked'`, if the key that sealed
   * the question is not here.
   */
  reseal(n: number, stored: { readonly question: string; readonly context: string | null }): StoredTexts
  /** Opens the question and its options; undefined without its key. */
  question(n: number, stored: string): RecallQuestion | undefined
  /** Opens the context; undefined without its key. */
  context(n: number, stored: string): string | undefined
  /** False while the book is locked: then sealed texts can't be opened. */
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
  const open = (n: number, part: TextField, stored: string) => bodies.open(ownerOf(n, part), stored)
  /** A book without keys is unlocked too. */
  const isUnlocked = () =>
    sealer.current() !== undefined || !['passphrase', 'keys-lost'].includes(sealer.reason())
  /** A text in clear is the JSON of an object or a string; a sealed text is a JSON array. */
  const seal = (n: number, part: TextField, json: string) =>
    sealer.current() === undefined ? json : bodies.seal(ownerOf(n, part), json)

  return {
    isUnlocked,
    toStored(n, note) {
      if (!isUnlocked()) return { ...noTexts, missing: 'locked' }
      const question = JSON.stringify(note.question)
      const text = note.context && JSON.stringify(note.context.text)
      if (question.length + (text?.length ?? 0) > maxStoredChars) return { ...noTexts, missing: 'size' }
      return {
        question: seal(n, 'question', question),
        context: text === undefined ? null : seal(n, 'context', text),
      }
    },
    reseal(n, stored) {
      const question = open(n, 'question', stored.question)
      const context = stored.context === null ? undefined : open(n, 'context', stored.context)
      if (question === undefined) return { ...noTexts, missing: 'locked' }
      return {
        question: seal(n, 'question', question),
        context: context === undefined ? null : seal(n, 'context', context),
      }
    },
    question(n, stored) {
      const json = open(n, 'question', stored)
      return json === undefined ? undefined : (JSON.parse(json) as RecallQuestion)
    },
    context(n, stored) {
      const json = open(n, 'context', stored)
      return json === undefined ? undefined : (JSON.parse(json) as string)
    },
    sealedPrefix() {
      const kid = sealer.current()
      return kid === undefined ? undefined : JSON.stringify([sealingAlgorithm, kid]).slice(0, -1)
    },
  }
}
