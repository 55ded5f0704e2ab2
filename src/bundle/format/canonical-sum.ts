// The checksum of a bundle in whatever spelling: SHA-256 over the canonical JSON (RFC 8785) of all but its `integrity`, made
// while it comes. Invariant: memory holds no more than a stated number of characters of records. Where the members stand so that the
// canonical text can be made as they come, no record is kept; where they don't, the bundle must be smaller than that.
import { DaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import type { RunningDigest } from '../../core/ports.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

/**
 * Characters of records, in canonical form, of a bundle whose members stand in another order than that of their names: of one
 * that this program wrote, which has them in order unless somebody else wrote it anew, and of any other.
 */
export const holdLimits = { own: 2_000_000, other: 16_000_000 } as const

interface Held {
  readonly lists: Map<string, string[]>
  length: number
}

/** What is told of a bundle, in the order in which it says it. */
export class CanonicalSum {
  readonly #start: () => RunningDigest
  /** The canonical texts of the members beside `memory`. */
  readonly #members = new Map<string, string>()
  /** The canonical text as far as it came, while members and lists come in the order of their names. */
  #streamed: RunningDigest | undefined
  #opening = ''
  /** The records, while there are few. */
  #held: Held | undefined = { lists: new Map(), length: 0 }
  #limit: number = holdLimits.other
  #list = ''
  #lists = 0
  #records = 0

  constructor(start: () => RunningDigest) {
    this.#start = start
  }

  /** A member beside `memory`. */
  member(name: string, value: Json): void {
    this.#members.set(name, canonicalText(value))
  }

  /** `holdLimit`: how much may be held of what follows. */
  openMemory(holdLimit: number): void {
    this.#limit = holdLimit
    this.#opening = this.#before()
    this.#streamed = this.#start()
    this.#streamed.update(this.#opening)
  }

  openList(list: string): void {
    if (this.#lists > 0 && list <= this.#list) this.#streamed = undefined
    this.#streamed?.update(`${this.#lists === 0 ? '' : ','}${JSON.stringify(list)}:[`)
    this.#held?.lists.set(list, [])
    this.#list = list
    this.#lists += 1
    this.#records = 0
  }

  record(value: Json, path: string): void {
    const text = canonicalText(value)
    this.#streamed?.update(this.#records === 0 ? text : `,${text}`)
    this.#records += 1
    if (this.#held) {
      this.#held.lists.get(this.#list)?.push(text)
      this.#held.length += text.length
      if (this.#held.length > this.#limit) this.#held = undefined
    }
    if (!this.#held && !this.#streamed) throw outOfOrder(path, this.#limit)
  }

  closeList(): void {
    this.#streamed?.update(']')
  }

  /** `sha256:` and 64 hexadecimal digits. */
  checksum(): string {
    if (this.#streamed && this.#opening === this.#before()) {
      this.#streamed.update(this.#after())
      return `sha256:${this.#streamed.hex()}`
    }
    if (!this.#held) throw outOfOrder('memory', this.#limit)
    const digest = this.#start()
    digest.update(this.#before())
    const lists = [...this.#held.lists].sort(([a], [b]) => (a < b ? -1 : 1))
    lists.forEach(([list, records], i) => {
      digest.update(`${i === 0 ? '' : ','}${JSON.stringify(list)}:[`)
      records.forEach((text, n) => digest.update(n === 0 ? text : `,${text}`))
      digest.update(']')
    })
    digest.update(this.#after())
    return `sha256:${digest.hex()}`
  }

  #before(): string {
    const members = this.#texts((name) => name < 'memory')
    return `{${members.map((text) => `${text},`).join('')}"memory":{`
  }

  #after(): string {
    const members = this.#texts((name) => name > 'memory')
    return `}${members.map((text) => `,${text}`).join('')}}`
  }

  #texts(isMeant: (name: string) => boolean): string[] {
    const names = [...this.#members.keys()].filter(isMeant).sort()
    return names.map((name) => `${JSON.stringify(name)}:${this.#members.get(name)}`)
  }
}

function outOfOrder(path: string, limit: number): DaybookError {
  return new DaybookError(
    'too-large',
    `\`${path}\`: A bundle of more than ${limit} characters has its members and its lists in the order of their names; \`jq -S\` writes them so.`,
    { details: { path, limit } },
  )
}
