// The checksum of a bundle in any spelling: SHA-256 over the canonical JSON (RFC 8785) without `integrity`,
// computed while the bundle arrives.
// Invariant: memory holds at most `maxHeldCharacters` of records. A bundle in canonical order is hashed as it arrives
// and may have more; a bundle in another order is sorted in memory and may not.
import { DaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import type { RunningDigest } from '../../core/ports.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

/**
 * Most characters of records, in canonical form, that memory holds in case the bundle is out of order. A
 * bundle of this program (`ownBundle`) is in order unless another program reordered it, so that it seldom
 * needs what memory holds.
 */
export const maxHeldCharacters = { ownBundle: 2_000_000, otherBundle: 16_000_000 } as const
/** Most records that memory holds: many short records need more memory than their characters. */
export const maxHeldRecords = 200_000

interface HeldRecords {
  readonly lists: Map<string, string[]>
  length: number
  count: number
}

/** Takes the parts of a bundle in the order of the file. */
export class CanonicalChecksum {
  readonly #startDigest: () => RunningDigest
  /** The canonical texts of the members beside `memory`. */
  readonly #members = new Map<string, string>()
  /** The digest of the text so far. Undefined before `memory`, and after a list that is out of order. */
  #streamDigest: RunningDigest | undefined
  /**
   * The canonical text before `memory`, of the members that had arrived before it. If a member that belongs
   * there arrives later, the running digest is wrong, and `checksum` uses the held records.
   */
  #openingText = ''
  /** The records as text; undefined after they exceed the limit. */
  #held: HeldRecords | undefined = { lists: new Map(), length: 0, count: 0 }
  #maxHeld: number = maxHeldCharacters.otherBundle
  /** True after the records exceeded `maxHeldRecords`, not the limit of characters. */
  #hasTooManyRecords = false
  #currentList = ''
  #listCount = 0
  #recordCount = 0

  constructor(start: () => RunningDigest) {
    this.#startDigest = start
  }

  /** Adds a member of the bundle beside `memory`, before or after it. */
  addMember(name: string, value: Json): void {
    this.#members.set(name, canonicalText(value))
  }

  /** Begins `memory`. `maxHeld`: most characters of records to hold. */
  openMemory(maxHeld: number): void {
    this.#maxHeld = maxHeld
    this.#openingText = this.#textBeforeMemory()
    this.#streamDigest = this.#startDigest()
    this.#streamDigest.update(this.#openingText)
  }

  /** Begins a list of records in `memory`. A list out of order ends the running digest. */
  openList(list: string): void {
    if (this.#listCount > 0 && list <= this.#currentList) this.#streamDigest = undefined
    this.#streamDigest?.update(`${this.#listCount === 0 ? '' : ','}${JSON.stringify(list)}:[`)
    this.#held?.lists.set(list, [])
    this.#currentList = list
    this.#listCount += 1
    this.#recordCount = 0
  }

  addRecord(value: Json, path: string): void {
    const text = canonicalText(value)
    this.#streamDigest?.update(this.#recordCount === 0 ? text : `,${text}`)
    this.#recordCount += 1
    if (this.#held) {
      this.#held.lists.get(this.#currentList)?.push(text)
      this.#held.length += text.length
      this.#held.count += 1
      const hasTooManyCharacters = this.#held.length > this.#maxHeld
      this.#hasTooManyRecords = !hasTooManyCharacters && this.#held.count > maxHeldRecords
      if (hasTooManyCharacters || this.#hasTooManyRecords) this.#held = undefined
    }
    if (!this.#held && !this.#streamDigest) throw this.#outOfOrderError(path)
  }

  closeList(): void {
    this.#streamDigest?.update(']')
  }

  /**
   * Returns `sha256:` and 64 hexadecimal digits. Throws `too-large` for a bundle out of order that is over the
   * limit.
   */
  checksum(): string {
    if (this.#streamDigest && this.#openingText === this.#textBeforeMemory()) {
      this.#streamDigest.update(this.#textAfterMemory())
      return `sha256:${this.#streamDigest.hex()}`
    }
    if (!this.#held) throw this.#outOfOrderError('memory')
    const digest = this.#startDigest()
    digest.update(this.#textBeforeMemory())
    const lists = [...this.#held.lists].sort(([a], [b]) => (a < b ? -1 : 1))
    lists.forEach(([list, records], i) => {
      digest.update(`${i === 0 ? '' : ','}${JSON.stringify(list)}:[`)
      records.forEach((text, j) => digest.update(j === 0 ? text : `,${text}`))
      digest.update(']')
    })
    digest.update(this.#textAfterMemory())
    return `sha256:${digest.hex()}`
  }

  /** The error after a limit was exceeded; names this limit. */
  #outOfOrderError(path: string): DaybookError {
    const isOfRecords = this.#hasTooManyRecords
    const limit = isOfRecords ? `${maxHeldRecords} records` : `${this.#maxHeld} characters`
    const details = isOfRecords ? { limit: maxHeldRecords } : { limitCharacters: this.#maxHeld }
    return new DaybookError(
      'too-large',
      `\`${path}\`: A bundle of more than ${limit} must have its members and lists in order of name. Sort it with \`jq -S\`.`,
      { details: { path, ...details } },
    )
  }

  #textBeforeMemory(): string {
    const members = this.#memberTexts((name) => name < 'memory')
    return `{${members.map((text) => `${text},`).join('')}"memory":{`
  }

  #textAfterMemory(): string {
    const members = this.#memberTexts((name) => name > 'memory')
    return `}${members.map((text) => `,${text}`).join('')}}`
  }

  #memberTexts(matches: (name: string) => boolean): string[] {
    const names = [...this.#members.keys()].filter(matches).sort()
    return names.map((name) => `${JSON.stringify(name)}:${this.#members.get(name)}`)
  }
}
