// The words of an activity entry: sealed where the book is, in clear where it has no keys, and not stored while it is locked.
// Invariant: a sealed text opens only as the same part of the same entry.
import type { ActivityNote, RecallQuestion, LostReason } from '../../core/capability/activity.ts'
import { sealingAlgorithm } from '../../core/sealed.ts'
import type { Bodies } from '../record/bodies.ts'

type Part = 'asked' | 'packed'

export interface StoredWords {
  readonly asked: string | null
  readonly packed: string | null
  /** Why they are missing. */
  readonly lost?: LostReason
}

export interface ActivityWords {
  keep(n: number, note: Pick<ActivityNote, 'asked' | 'packed'>): StoredWords
  /** The same under the current key. */
  reseal(n: number, stored: StoredWords): StoredWords
  /** The question and its options; undefined without their key. */
  question(n: number, stored: string): RecallQuestion | undefined
  packed(n: number, stored: string): string | undefined
  /** False while sealed texts can't be read. */
  isOpen(): boolean
  /** The prefix of texts sealed with the current key; undefined without one. */
  sealedPrefix(): string | undefined
}

/** Longer texts are not stored: nobody reads a prompt of fifty thousand tokens again. */
const wordsLimit = 200_000
const none = { asked: null, packed: null } as const

export function createActivityWords(bodies: Bodies): ActivityWords {
  const { sealer } = bodies
  const ownerOf = (n: number, part: Part) => ({ kind: 'activity', id: `${n}.${part}` })
  const open = (n: number, part: Part, stored: string) => bodies.open(ownerOf(n, part), stored)
  const isOpen = () =>
    sealer.current() !== undefined || !['passphrase', 'keys-lost'].includes(sealer.reason())
  /** Clear texts are JSON objects and strings, sealed ones are arrays. */
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
