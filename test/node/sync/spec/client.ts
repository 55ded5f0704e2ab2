// A client of the mirror, written from `src/sync/SPEC.md` and nothing else: it imports no code of this project. It keeps
// everything in memory, and speaks through a `fetch`.
import { ClientBook, type ClientBookOptions, type Logged } from './client-book.ts'
import type { Body } from './client-merge.ts'
import {
  type Answer,
  type Digest,
  digestOf,
  hex,
  type Limits,
  type Request,
  sameDigest,
  usualLimits,
} from './client-wire.ts'

export type Fetch = (path: string, init: RequestInit) => Promise<Response>

export interface ClientOptions extends ClientBookOptions {
  readonly fetch: Fetch
  readonly key: string
  readonly book: string
  /** A number from 0 to 2^32 - 1. */
  readonly random: () => number
}

export class SpecClient {
  /** Codes of refusals, and `differs` when its digest was not the mirror's. */
  readonly told: string[] = []
  pageLimit = 1000
  readonly #options: ClientOptions
  readonly #book: ClientBook
  #epoch: string | null = null
  #cursor = 0
  #acked = 0
  #lastMid = 0
  #floor = 0
  #mark: { seq: number; x: string } | undefined
  #limits: Limits = usualLimits
  /** `over`: it starts over; `anew`: it reads again what lies above some place. Nothing is sent meanwhile. */
  #reading: 'over' | 'anew' | undefined
  #differs = false

  constructor(options: ClientOptions) {
    this.#options = options
    this.#book = new ClientBook(options)
    this.#rename()
  }

  put(kind: string, id: string, body: Body): void {
    this.#book.put(kind, id, body)
  }

  forget(id: string): void {
    this.#book.forget(id)
  }

  all(): Record<string, object> {
    return this.#book.all()
  }

  log(): readonly Logged[] {
    return this.#book.log
  }

  pending(): number {
    return this.#book.outbox.length
  }

  /** Becomes a copy of `other`, name and numbers included: as when a file was copied. */
  adopt(other: SpecClient): void {
    for (const [id, record] of other.#book.records) this.#book.records.set(id, { ...record })
    this.#book.name = other.#book.name
    this.#epoch = other.#epoch
    this.#cursor = other.#cursor
    this.#acked = other.#acked
    this.#lastMid = other.#lastMid
    this.#mark = other.#mark
  }

  /** Rounds until nothing is left on either side. */
  async sync(): Promise<void> {
    for (let round = 0; round < 60; round++) {
      const request = this.#request()
      const answer = await this.#ask(request)
      if (answer && this.#take(request, answer)) return
    }
    throw new Error('It does not come to an end.')
  }

  #rename(): void {
    const book = this.#book
    const part = () => hex(this.#options.random(), 8)
    book.name = `d_${part()}${part()}${part()}${part()}`
    this.#acked = 0
    this.#lastMid = 0
    book.outbox = book.outbox.filter((op) => !op.sent || book.unsent(op.id) === undefined)
    for (const op of book.outbox) delete op.sent
  }

  #request() {
    const sent = this.#reading ? [] : this.#opsToSend()
    return {
      p: 1,
      device: this.#book.name,
      epoch: this.#epoch,
      ackedMid: this.#acked,
      schema: 0,
      ops: sent.map(({ text }) => JSON.parse(text) as { readonly mid: number }),
      pull: {
        cursor: this.#cursor,
        limit: this.pageLimit,
        maxBytes: 1_000_000,
        ...(this.#reading ? { resync: true } : {}),
      },
      ...(this.#differs ? { check: true } : {}),
      ...(this.#mark ? { mark: this.#mark } : {}),
    }
  }

  /** The ops whose answer is missing, else the oldest that were not sent, numbered and fixed now. */
  #opsToSend() {
    const { outbox, records } = this.#book
    const waiting = outbox.flatMap(({ sent }) => sent ?? [])
    if (waiting.length > 0) return waiting.toSorted((a, b) => a.mid - b.mid)
    const taken = []
    let bytes = 0
    for (const op of outbox) {
      const said = records.get(op.id)?.said
      if (op.refused || !said) continue
      const mid = this.#lastMid + 1
      const text = JSON.stringify({
        ...said,
        mid,
        base: op.base,
        ...(said.op === 'put' && op.anew ? { anew: op.anew } : {}),
        ...(said.op === 'put' ? { v: 1 } : {}),
      })
      bytes += Buffer.byteLength(text) + 1
      if (taken.length === this.#limits.ops || bytes > this.#limits.requestBytes) break
      this.#lastMid = mid
      op.sent = { mid, text, said }
      taken.push(op.sent)
    }
    return taken
  }

  async #ask(request: object): Promise<Answer | undefined> {
    const { fetch, book, key } = this.#options
    const response = await fetch(`/v1/books/${book}/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    const body: unknown = await response.json()
    if (response.status === 200) return body as Answer
    const { code, details } = body as { code: string; details: { reason?: string } }
    this.told.push(code)
    if (code === 'device-forked') this.#rename()
    else if (code === 'resync-required' && details.reason === 'floor') this.#readAnew(0)
    else if (code === 'resync-required') this.#startOver()
    else throw new Error(code)
    return undefined
  }

  #startOver(): void {
    this.#rename()
    for (const op of this.#book.outbox) Object.assign(op, { base: 0, baseBody: undefined })
    for (const record of this.#book.records.values()) Object.assign(record, { ver: 0, seq: 0 })
    this.#epoch = null
    this.#cursor = 0
    this.#floor = 0
    this.#mark = undefined
    this.#limits = usualLimits
    this.#reading = 'over'
  }

  #readAnew(from: number): void {
    for (const record of this.#book.records.values()) if (record.seq > from) record.seq = 0
    this.#cursor = from
    this.#reading = 'anew'
  }

  /** Takes an answer over; true when nothing is left to do. */
  #take({ epoch, ops, pull }: Request, answer: Answer): boolean {
    const book = this.#book
    const fits =
      (epoch === null || answer.epoch === epoch) &&
      answer.cursor >= pull.cursor &&
      (!answer.more || answer.cursor > pull.cursor) &&
      answer.results.every(({ mid }, i) => mid === ops[i]?.mid) &&
      (ops.length === 0 || answer.results.length > 0)
    if (!fits) throw new Error('The answer does not fit.')
    for (const result of answer.results) {
      book.settle(result, answer.floor)
      this.#acked = Math.max(this.#acked, result.mid)
    }
    for (const change of answer.changes) book.take(change, this.#reading === 'anew')
    this.#keep(answer)
    book.collect(this.#floor)
    if (!answer.more && this.#reading) this.#endReading(answer.lastMid)
    if (book.passedOver !== undefined) this.#readAnew(Math.min(this.#cursor, book.passedOver - 1))
    book.passedOver = undefined
    if (answer.more) return false
    const rests = book.outbox.every(({ refused }) => refused)
    return this.#proves(answer) && rests && !this.#reading
  }

  #keep({ epoch, cursor, floor, limits, mark }: Answer): void {
    this.#epoch = epoch
    this.#cursor = cursor
    this.#floor = floor
    if (limits) this.#limits = limits
    if (mark !== undefined && cursor >= (this.#mark?.seq ?? 0)) this.#mark = { seq: cursor, x: mark }
  }

  #endReading(lastMid: number): void {
    const book = this.#book
    const mode = this.#reading
    this.#reading = undefined
    if (mode === 'over') {
      for (const { said, seq } of book.records.values())
        if (seq === 0 && !book.hasOp(said.id)) book.logAnew(said.id, 0)
      return
    }
    book.outbox = book.outbox.filter(
      ({ id, sent }) => !sent || sent.mid <= lastMid || book.unsent(id) === undefined,
    )
    for (const op of book.outbox) if (op.sent && op.sent.mid > lastMid) delete op.sent
    this.#lastMid = Math.min(this.#lastMid, lastMid)
    for (const record of book.records.values()) if (record.ver > 0 && record.seq === 0) book.miss(record)
  }

  /** True unless the mirror turns out to have something else. */
  #proves({ digest, ranges }: Answer): boolean {
    if (!digest || this.pending() > 0 || this.#reading) return true
    const places = [...this.#book.records.values()].map(({ seq }) => seq)
    const isOurs = (from: number, theirs: Digest) => sameDigest(digestOf(places, from, theirs.seq), theirs)
    if (isOurs(0, digest)) {
      this.#differs = false
      return true
    }
    this.told.push('differs')
    this.#differs = ranges === undefined
    if (!ranges) return false
    let from = 0
    for (const range of ranges) {
      if (!isOurs(from, range)) break
      from = range.seq
    }
    this.#readAnew(from)
    return false
  }
}
