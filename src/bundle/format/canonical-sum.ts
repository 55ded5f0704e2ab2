// The checksum of a bundle in any spelling: SHA-256 over the canonical JSON (RFC 8785) without `integrity`,
// computed while the bundle arrives.
// Invariant: memory holds at most `holdLimits` characters of records. A bundle in canonical order may have more; a
// bundle in another order may not.
import { DaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import type { RunningDigest } from '../../core/ports.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

/**
 * Most characters of records, in canonical form, that memory holds for a bundle out of order. `own`: a bundle of
 * this program, which another program reordered.
 */
export const holdLimits = { own: 2_000_000, other: 16_000_000 } as const
/** Most records that memory holds: a record has some bytes even if its text has none. */
export const holdRecords = 200_000

interface HeldRecords {
  readonly lists: Map<string, string[]>
  length: number
  count: number
}

/** Takes the parts of a bundle in the order of the file. */
export class CanonicalSum {
  readonly #start: () => RunningDigest
  /** The canonical texts of the members beside `memory`. */
  readonly #members = new Map<string, string>()
  /** The digest of the text so far; undefined after a list that is out of order. */
  #streamed: RunningDigest | undefined
  #opening = ''
  /** The records as text; undefined after they exceed the limit. */
  #held: HeldRecords | undefined = { lists: new Map(), length: 0, count: 0 }
  #limit: number = holdLimits.other
  #list = ''
  #lists = 0
  #records = 0

  constructor(start: () => RunningDigest) {
    this.#start = start
  }

  /** Adds a member beside `memory`. */
  member(name: string, value: Json): void {
    this.#members.set(name, canonicalText(value))
  }

  /** Begins `memory`. `holdLimit`: most characters of records to hold. */
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
      this.#held.count += 1
      if (this.#held.length > this.#limit || this.#held.count > holdRecords) this.#held = undefined
    }
    if (!this.#held && !this.#streamed) throw outOfOrder(path, this.#limit)
  }

  closeList(): void {
    this.#streamed?.update(']')
  }

  /**
   * Returns `sha256:` and 64 hexadecimal digits. Throws `too-large` for a bundle out of order that is over the
   * limit.
   */
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

  #texts(fits: (name: string) => boolean): string[] {
    const names = [...this.#members.keys()].filter(fits).sort()
    return names.map((name) => `${JSON.stringify(name)}:${this.#members.get(name)}`)
  }
}

function outOfOrder(path: string, limit: number): DaybookError {
  return new DaybookError(
    'too-large',
    `\`${path}\`: A bundle of more than ${limit} characters must have its members and lists in order of name. Sort it with \`jq -S\`.`,
    { details: { path, limit } },
  )
}
