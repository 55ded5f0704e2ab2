// The words of an entry of activity: sealed where the book is, in clear where it has no keys, and not kept while it is locked.
// Invariant: what is sealed opens as the same part of the same entry alone.
import type { ActivityNote, AskedWords, LostReason } from '../../core/capability/activity.ts'
import { sealingAlgorithm } from '../../core/sealed.ts'
import type { Bodies } from '../record/bodies.ts'

type Part = 'asked' | 'packed'

/** As they are stored. */
export interface StoredWords {
  readonly asked: string | null
  readonly packed: string | null
}

export interface KeptWords extends StoredWords {
  readonly lost?: LostReason
}

export interface ActivityWords {
  keep(n: number, note: Pick<ActivityNote, 'asked' | 'packed'>): KeptWords
  /** The same under the present key. */
  again(n: number, stored: StoredWords): KeptWords
  /** The question and its options; undefined while their key is not here. */
  asked(n: number, stored: string): AskedWords | undefined
  packed(n: number, stored: string): string | undefined
  /** False while what is sealed can't be read. */
  isOpen(): boolean
  /** What a text begins with that is sealed with the present key; undefined while there is none. */
  sealedStart(): string | undefined
}

/** What is longer is not kept: fifty thousand tokens are no prompt that somebody reads again. */
const wordsLimit = 200_000
const none = { asked: null, packed: null } as const

export function createActivityWords(bodies: Bodies): ActivityWords {
  const { sealer } = bodies
  const ownerOf = (n: number, part: Part) => ({ kind: 'activity', id: `${n}.${part}` })
  const open = (n: number, part: Part, stored: string) => bodies.open(ownerOf(n, part), stored)
  const isOpen = () =>
    sealer.current() !== undefined || !['passphrase', 'keys-lost'].includes(sealer.reason())
  /** JSON objects and JSON strings: neither looks like what is sealed, which is an array. */
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
    again(n, stored) {
      const asked = stored.asked === null ? undefined : open(n, 'asked', stored.asked)
      const packed = stored.packed === null ? undefined : open(n, 'packed', stored.packed)
      if (asked === undefined) return { ...none, lost: 'locked' }
      return {
        asked: store(n, 'asked', asked),
        packed: packed === undefined ? null : store(n, 'packed', packed),
      }
    },
    asked(n, stored) {
      const json = open(n, 'asked', stored)
      return json === undefined ? undefined : (JSON.parse(json) as AskedWords)
    },
    packed(n, stored) {
      const json = open(n, 'packed', stored)
      return json === undefined ? undefined : (JSON.parse(json) as string)
    },
    sealedStart() {
      const kid = sealer.current()
      return kid === undefined ? undefined : JSON.stringify([sealingAlgorithm, kid]).slice(0, -1)
    },
  }
}
