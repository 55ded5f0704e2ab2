// The words of an activity entry: its question and its packed context. They are sealed in a book with keys, in clear
// in a book without keys, and not stored while the book is locked.
// Invariant: a sealed text can be decrypted only as the same part of the same entry.
import type { ActivityNote, RecallQuestion, LostReason } from '../../core/capability/activity.ts'
import { sealingAlgorithm } from '../../core/sealed.ts'
import type { Bodies } from '../record/bodies.ts'

type Part = 'asked' | 'packed'

export interface StoredWords {
  readonly asked: string | null
  readonly packed: string | null
  /** Why the words are missing; absent when they are stored. */
  readonly lost?: LostReason
}

export interface ActivityWords {
  /** The words to store for the entry `n`. */
  keep(n: number, note: Pick<ActivityNote, 'asked' | 'packed'>): StoredWords
  /** The stored words, sealed under the current key. */
  reseal(n: number, stored: StoredWords): StoredWords
  /** The question and its options; undefined without its key. */
  question(n: number, stored: string): RecallQuestion | undefined
  /** The packed context; undefined without its key. */
  packed(n: number, stored: string): string | undefined
  /** False while the book is locked: then sealed texts can't be decrypted. */
  isOpen(): boolean
  /** The first characters of every text that is sealed under the current key; undefined without a key. */
  sealedPrefix(): string | undefined
}

/** The longest words that are stored, in UTF-16 units of JSON: about fifty thousand tokens. */
const wordsLimit = 200_000
const none = { asked: null, packed: null } as const

export function createActivityWords(bodies: Bodies): ActivityWords {
  const { sealer } = bodies
  const ownerOf = (n: number, part: Part) => ({ kind: 'activity', id: `${n}.${part}` })
  const open = (n: number, part: Part, stored: string) => bodies.open(ownerOf(n, part), stored)
  const isOpen = () =>
    sealer.current() !== undefined || !['passphrase', 'keys-lost'].includes(sealer.reason())
  /** A text in clear is the JSON of an object or a string; a sealed text is a JSON array. */
  const store = (n: number, part: Part, json: string) =>
    sealer.current() === undefined ? json : bodies.seal(ownerOf(n, part), json)

  return {
    isOpen,
    keep(n, { asked, packed }) {
      if (!isOpen()) return { ...none, lost: 'locked' }
      const question = JSON.stringify(asked)
      const text = packed && JSON.stringify(packed.text)
      if (question.length + (text?.length ?? 0) > wordsLimit) return { ...none, lost: 'size' }
      return {
        asked: store(n, 'asked', question),
        packed: text === undefined ? null : store(n, 'packed', text),
      }
    },
    reseal(n, stored) {
      const question = stored.asked === null ? undefined : open(n, 'asked', stored.asked)
      const packed = stored.packed === null ? undefined : open(n, 'packed', stored.packed)
      if (question === undefined) return { ...none, lost: 'locked' }
      return {
        asked: store(n, 'asked', question),
        packed: packed === undefined ? null : store(n, 'packed', packed),
      }
    },
    question(n, stored) {
      const json = open(n, 'asked', stored)
      return json === undefined ? undefined : (JSON.parse(json) as RecallQuestion)
    },
    packed(n, stored) {
      const json = open(n, 'packed', stored)
      return json === undefined ? undefined : (JSON.parse(json) as string)
    },
    sealedPrefix() {
      const kid = sealer.current()
      return kid === undefined ? undefined : JSON.stringify([sealingAlgorithm, kid]).slice(0, -1)
    },
  }
}
