// A client of the mirror, written from `src/sync/SPEC.md` and nothing else: it imports no code of this project. It keeps
// everything in memory, has one op at most for each record beside those that were sent, and speaks through a `fetch`.
import { type Body, isLater, merge, same, type Value } from './client-merge.ts'

export type Fetch = (path: string, init: RequestInit) => Promise<Response>

export interface ClientKind {
  readonly rules?: Readonly<Record<string, string>>
  readonly forgetWins?: boolean
}

export interface ClientOptions {
  readonly fetch: Fetch
  readonly key: string
  readonly book: string
  readonly kinds: Readonly<Record<string, ClientKind>>
  readonly now: () => number
  /** A number from 0 to 2^32 - 1. */
  readonly random: () => number
  readonly agent: string
}

type Kept = Record<string, Value> & {
  readonly kind: string
  readonly id: string
  readonly op: 'put' | 'forget'
}
/** A record as it is here: what a change says, and 0 for a version or place that no mirror gave. */
export interface Local {
  said: Kept
  ver: number
  seq: number
  by: string
}

interface Op {
  readonly id: string
  base: number
  baseBody: Body | undefined
  rounds: number
  /** Once it was sent. */
  sent?: { readonly mid: number; readonly text: string; readonly said: Kept }
  refused?: boolean
}

interface Change {
  readonly [field: string]: Value
  readonly kind: string
  readonly id: string
  readonly op: 'put' | 'forget'
  readonly ver: number
  readonly seq: number
  readonly by: string
  readonly stamp: string
}

interface Result {
  readonly mid: number
  readonly s: 'ok' | 'conflict' | 'rejected'
  readonly ver: number
  readonly seq: number
  readonly policy: string
  readonly current: Change
  readonly error: { readonly code: string }
}

interface Digest {
  readonly seq: number
  readonly n: number
  readonly x: string
}

interface Answer {
  readonly epoch: string
  readonly lastMid: number
  readonly results: readonly Result[]
  readonly changes: readonly Change[]
  readonly cursor: number
  readonly more: boolean
  readonly floor: number
  readonly digest?: Digest
  readonly ranges?: readonly Digest[]
  readonly limits?: { readonly ops: number; readonly requestBytes: number }
  readonly mark?: string
}

interface Request {
  readonly epoch: string | null
  readonly ops: readonly { readonly mid: number }[]
  readonly pull: { readonly cursor: number }
}

/** What lost, and what it lost to. */
export interface Logged {
  readonly id: string
  readonly lost: Kept | Change
  readonly kept: Kept | Change
}

export interface Refusal extends Error {
  readonly code: string
}

const headNames = ['created_at', 'session', 'resource', 'sensitivity'] as const

export class SpecClient {
  readonly records = new Map<string, Local>()
  readonly log: Logged[] = []
  readonly told: string[] = []
  #options: ClientOptions
  #outbox: Op[] = []
  #name = ''
  #epoch: string | null = null
  #cursor = 0
  #acked = 0
  #lastMid = 0
  #floor = 0
  #mark: { seq: number; x: string } | undefined
  #limits = { ops: 100, requestBytes: 700_000 }
  #reading: 'over' | 'anew' | undefined
  #differs = false
  /** From where a change was passed over while an op had no answer. */
  #passedOver: number | undefined
  #ms = 0
  #count = 0
  pageLimit = 1000

  constructor(options: ClientOptions) {
    this.#options = options
    this.#rename()
  }

  put(kind: string, id: string, body: Body): void {
    const before = this.records.get(id)?.said
    const at = new Date(this.#options.now()).toISOString()
    const created_at = before?.op === 'put' ? (before['created_at'] as string) : at
    this.#write({
      op: 'put',
      kind,
      id,
      at,
      stamp: this.#stamp(),
      agent: this.#options.agent,
      created_at,
      body,
    })
  }

  forget(id: string): void {
    const before = this.records.get(id)?.said
    if (before?.op !== 'put') return
    const at = new Date(this.#options.now()).toISOString()
    this.#write({ op: 'forget', kind: before.kind, id, at, stamp: this.#stamp(), agent: this.#options.agent })
  }

  /** Becomes a copy of `other`, name and numbers included: as when a file was copied. */
  adopt(other: SpecClient): void {
    for (const [id, record] of other.records) this.records.set(id, { ...record })
    this.#name = other.#name
    this.#epoch = other.#epoch
    this.#cursor = other.#cursor
    this.#acked = other.#acked
    this.#lastMid = other.#lastMid
    this.#mark = other.#mark
  }

  pending(): number {
    return this.#outbox.length
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

  #write(said: Kept, rounds = 0): void {
    const here = this.records.get(said.id)
    const waits = this.#unsent(said.id)
    if (waits) delete waits.refused
    else {
      const sent = this.#outbox.find(({ id }) => id === said.id)
      const baseBody = sent ? sent.baseBody : here && here.ver > 0 ? bodyOf(here.said) : undefined
      this.#outbox.push({ id: said.id, base: here?.ver ?? 0, baseBody, rounds })
    }
    if (here) here.said = said
    else this.records.set(said.id, { said, ver: 0, seq: 0, by: '' })
  }

  #unsent(id: string): Op | undefined {
    return this.#outbox.find((op) => op.id === id && !op.sent)
  }

  #hasOp(id: string): boolean {
    return this.#outbox.some((op) => op.id === id)
  }

  #stamp(): string {
    const now = this.#options.now()
    if (now > this.#ms) {
      this.#ms = now
      this.#count = 0
    } else if (++this.#count > 0xffff) {
      this.#ms += 1
      this.#count = 0
    }
    return `${hex(this.#ms, 12)}-${hex(this.#count, 4)}-${this.#name}`
  }

  #see(stamp: string): void {
    const [ms = 0, count = 0] = stamp.split('-').map((part) => Number.parseInt(part, 16))
    if (ms < this.#ms || (ms === this.#ms && count <= this.#count)) return
    this.#ms = ms
    this.#count = count
  }

  #rename(): void {
    const part = () => hex(this.#options.random(), 8)
    this.#name = `d_${part()}${part()}${part()}${part()}`
    this.#acked = 0
    this.#lastMid = 0
    this.#outbox = this.#outbox.filter((op) => !op.sent || this.#unsent(op.id) === undefined)
    for (const op of this.#outbox) delete op.sent
  }

  #request() {
    const sent = this.#reading ? [] : this.#opsToSend()
    return {
      p: 1,
      device: this.#name,
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

  #opsToSend() {
    const waiting = this.#outbox.flatMap(({ sent }) => sent ?? [])
    if (waiting.length > 0) return waiting.toSorted((a, b) => a.mid - b.mid)
    const taken = []
    let bytes = 0
    for (const op of this.#outbox) {
      if (op.refused) continue
      const { said } = this.records.get(op.id) as Local
      const mid = this.#lastMid + 1
      const text = JSON.stringify({ ...said, mid, base: op.base, ...(said.op === 'put' ? { v: 1 } : {}) })
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
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`/v1/books/${book}/sync`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    })
    const body: unknown = await response.json()
    if (response.status === 200) return body as Answer
    const { code, details } = body as { code: string; details: { reason?: string } }
    this.told.push(code)
    if (code === 'device-forked') this.#rename()
    else if (code === 'resync-required' && details.reason === 'floor') this.#readAnew(0)
    else if (code === 'resync-required') this.#startOver()
    else throw Object.assign(new Error(code), { code }) satisfies Refusal
    return undefined
  }

  #startOver(): void {
    this.#rename()
    for (const op of this.#outbox) {
      op.base = 0
      op.baseBody = undefined
    }
    for (const record of this.records.values()) {
      record.ver = 0
      record.seq = 0
    }
    this.#epoch = null
    this.#cursor = 0
    this.#floor = 0
    this.#mark = undefined
    this.#limits = { ops: 100, requestBytes: 700_000 }
    this.#reading = 'over'
  }

  #readAnew(from: number): void {
    for (const record of this.records.values()) if (record.seq > from) record.seq = 0
    this.#cursor = from
    this.#reading = 'anew'
  }

  /** Takes an answer over; true when nothing is left to do. */
  #take({ epoch, ops, pull }: Request, answer: Answer): boolean {
    const fits =
      (epoch === null || answer.epoch === epoch) &&
      answer.cursor >= pull.cursor &&
      (!answer.more || answer.cursor > pull.cursor) &&
      answer.results.every(({ mid }, i) => mid === ops[i]?.mid) &&
      (ops.length === 0 || answer.results.length > 0)
    if (!fits) throw new Error('The answer does not fit.')
    for (const result of answer.results) this.#settle(result, answer.floor)
    for (const change of answer.changes) this.#change(change)
    this.#epoch = answer.epoch
    this.#cursor = answer.cursor
    this.#floor = answer.floor
    if (answer.limits) this.#limits = answer.limits
    if (answer.mark !== undefined && answer.cursor >= (this.#mark?.seq ?? 0))
      this.#mark = { seq: answer.cursor, x: answer.mark }
    for (const [id, { said, seq }] of this.records)
      if (said.op === 'forget' && seq > 0 && seq <= this.#floor && !this.#hasOp(id)) this.records.delete(id)
    if (!answer.more && this.#reading) this.#endReading(answer.lastMid)
    if (this.#passedOver !== undefined) this.#readAnew(Math.min(this.#cursor, this.#passedOver - 1))
    this.#passedOver = undefined
    if (answer.more) return false
    const rests = this.#outbox.every(({ refused }) => refused)
    return this.#proves(answer) && rests && !this.#reading
  }

  #settle({ mid, s, ver, seq, policy, current, error }: Result, floor: number): void {
    const op = this.#outbox.find(({ sent }) => sent?.mid === mid)
    const record = op && this.records.get(op.id)
    if (!op?.sent || !record) return
    const { said } = op.sent
    this.#acked = Math.max(this.#acked, mid)
    this.#outbox = this.#outbox.filter((other) => other !== op)
    const later = this.#unsent(op.id)
    const goOn = (base: number) => {
      if (later) Object.assign(later, { base, baseBody: bodyOf(said) })
    }
    if (s === 'ok') {
      if (record.seq > seq || (record.seq < seq && seq <= floor))
        this.#passedOver = Math.min(this.#passedOver ?? Infinity, Math.max(record.seq, seq))
      Object.assign(record, { ver, seq, by: this.#name })
      goOn(ver)
    } else if (s === 'rejected') {
      if (later || (error.code === 'not-found' && said.op === 'forget')) return
      delete op.sent
      this.#outbox.push({ ...op, refused: true })
    } else if (same(said, current)) {
      goOn(current.ver)
      if (!later) this.#accept(current)
    } else if (later) {
      if (policy !== 'merge' && policy !== 'manual') this.log.push({ id: op.id, lost: said, kept: current })
    } else this.#decide(op, said, current, policy)
  }

  #decide({ id, baseBody, rounds }: Op, mine: Kept, theirs: Change, policy: string): void {
    this.#accept(theirs)
    const [one, other] = [bodyOf(mine), bodyOf(theirs)]
    if (policy !== 'merge' || !one || !other || rounds >= 5) {
      this.log.push({ id, lost: mine, kept: theirs })
      return
    }
    const mineIsLater = isLater(mine['stamp'] as string, this.#name, theirs.stamp, theirs.by)
    const rules = this.#options.kinds[mine.kind]?.rules ?? {}
    const { body, clashes } = merge({ base: baseBody ?? {}, mine: one, theirs: other, rules, mineIsLater })
    const [won, lost] = mineIsLater ? [mine, theirs] : [theirs, mine]
    if (clashes.length > 0) this.log.push({ id, lost, kept: won })
    if (JSON.stringify(body) === JSON.stringify(other)) return
    const at = new Date(this.#options.now()).toISOString()
    const { session: _session, resource: _resource, ...head } = mine
    const said = {
      ...head,
      ...(won['session'] === undefined ? {} : { session: won['session'] }),
      ...(won['resource'] === undefined ? {} : { resource: won['resource'] }),
      created_at: theirs['created_at'] as string,
      at,
      stamp: this.#stamp(),
      body,
    }
    this.#write(said, rounds + 1)
  }

  #accept({ ver, seq, by, ...said }: Change): void {
    this.#see(said['stamp'] as string)
    this.records.set(said['id'] as string, { said: said as Kept, ver, seq, by })
  }

  #change(change: Change): void {
    const { id, ver, seq, by } = change
    const record = this.records.get(id)
    if (!record) return this.#accept(change)
    if (this.#hasOp(id)) return void Object.assign(record, { seq, by })
    if (record.ver === 0) return this.#meet(record, change)
    if (this.#reading === 'anew' && record.seq === 0 && record.ver === ver)
      return void Object.assign(record, { seq, by })
    if (ver > record.ver || this.#reading === 'anew') this.#accept(change)
  }

  /** While starting over: what is here and what the mirror says, of which nobody knows which knew of which. */
  #meet(record: Local, change: Change): void {
    const { said } = record
    if (same(said, change)) return this.#accept(change)
    const isTheirs = change.stamp >= (said['stamp'] as string)
    const [lost, kept] = isTheirs ? [said, change] : [change, said]
    this.log.push({ id: said.id, lost, kept })
    if (isTheirs) this.#accept(change)
    else this.#outbox.push({ id: said.id, base: change.ver, baseBody: undefined, rounds: 0 })
  }

  #endReading(lastMid: number): void {
    const mode = this.#reading
    this.#reading = undefined
    if (mode === 'over') {
      for (const { said, seq } of this.records.values())
        if (seq === 0 && !this.#hasOp(said.id))
          this.#outbox.push({ id: said.id, base: 0, baseBody: undefined, rounds: 0 })
      return
    }
    this.#outbox = this.#outbox.filter(
      ({ id, sent }) => !sent || sent.mid <= lastMid || this.#unsent(id) === undefined,
    )
    for (const op of this.#outbox) if (op.sent && op.sent.mid > lastMid) delete op.sent
    this.#lastMid = Math.min(this.#lastMid, lastMid)
    for (const record of this.records.values()) if (record.ver > 0 && record.seq === 0) this.#miss(record)
  }

  /** The mirror does not have it any more: it was forgotten, by whom nobody knows. */
  #miss(record: Local): void {
    const { said } = record
    if (said.op === 'forget') return
    const gone: Kept = {
      op: 'forget',
      kind: said.kind,
      id: said.id,
      at: new Date(this.#options.now()).toISOString(),
      stamp: said['stamp'] as string,
      agent: said['agent'] as string,
    }
    const waits = this.#unsent(said.id)
    const goes = waits !== undefined && this.#options.kinds[said.kind]?.forgetWins === true
    if (this.#hasOp(said.id))
      this.log.push({ id: said.id, lost: goes ? said : gone, kept: goes ? gone : said })
    if (this.#hasOp(said.id) && !goes) return
    this.#outbox = this.#outbox.filter((op) => op !== waits)
    record.said = gone
  }

  /** True unless the mirror turns out to have something else. */
  #proves({ digest, ranges }: Answer): boolean {
    if (!digest || this.#outbox.length > 0 || this.#reading) return true
    const isSame = ({ n, x }: Digest, own: Digest) => n === own.n && x === own.x
    if (isSame(digest, this.#digest(0, digest.seq))) {
      this.#differs = false
      return true
    }
    this.told.push('differs')
    this.#differs = ranges === undefined
    if (!ranges) return false
    let from = 0
    for (const range of ranges) {
      if (!isSame(range, this.#digest(from, range.seq))) break
      from = range.seq
    }
    this.#readAnew(from)
    return false
  }

  #digest(from: number, to: number): Digest {
    const places = [...this.records.values()].map(({ seq }) => seq).filter((seq) => seq > from && seq <= to)
    const sum = (of: (place: number) => number) => places.reduce((all, place) => all + of(place), 0)
    const x = `${sum((place) => place).toString(36)}.${sum((place) => (place % 65_521) ** 2).toString(36)}`
    return { seq: to, n: places.length, x }
  }

  /** Every live record, as it is here: its head and its body. */
  all(): Record<string, object> {
    const live = [...this.records.values()].filter(({ said }) => said.op === 'put')
    return Object.fromEntries(
      live.map(({ said, ver }) => {
        const { id, kind, at, agent, body } = said
        const head = headNames.filter((name) => said[name] !== undefined).map((name) => [name, said[name]])
        return [
          id,
          { ...(body as object), id, kind, updated_at: at, agent, ver, ...Object.fromEntries(head) },
        ]
      }),
    )
  }
}

const hex = (value: number, width: number) => value.toString(16).padStart(width, '0')
const bodyOf = (said: Kept | Change) => (said.op === 'put' ? (said['body'] as Body | undefined) : undefined)
