// The records and the outbox of a client written from the specification, and what becomes of both with each result and change.
// Invariant: a record has at most one op that was not sent, and nothing that was written here goes without an entry in the log.
import { type Body, isLater, merge, same } from './client-merge.ts'
import { type Change, createStamps, type Met, type Result, type Said, type Stamps } from './client-wire.ts'

export interface ClientKind {
  readonly rules?: Readonly<Record<string, string>>
  readonly laterEditRevives?: boolean
}

export interface ClientBookOptions {
  readonly kinds: Readonly<Record<string, ClientKind>>
  readonly now: () => number
  readonly agent: string
}

/** A record as it is here: what a change says, and 0 for a version or place that no mirror gave. */
export interface Local {
  said: Said
  ver: number
  seq: number
  by: string
  /** It was made knowing that the record had been forgotten. */
  knew?: boolean
}

export interface Op {
  readonly id: string
  base: number
  baseBody: Body | undefined
  rounds: number
  /** It takes the place of a forget that was not sent. */
  anew?: 'forget'
  /** Once it was sent. */
  sent?: { readonly mid: number; readonly text: string; readonly said: Said }
  refused?: boolean
}

/** What lost, and what it lost to. */
export interface Logged {
  readonly id: string
  lost: Said
  /** Undefined where the mirror has it no longer. */
  readonly kept: Met['said'] | Said
}

const headNames = ['created_at', 'session', 'resource', 'sensitivity'] as const
/** What says no more than that there was an edit. */
const bare = ({ op, kind, id }: Said): Said => ({ op, kind, id })
const bodyOf = (said: Said) => (said.op === 'put' ? (said['body'] as Body | undefined) : undefined)

export class ClientBook {
  readonly records = new Map<string, Local>()
  readonly log: Logged[] = []
  readonly kinds: ClientBookOptions['kinds']
  outbox: Op[] = []
  /** Of the device. */
  name = ''
  /** From where a change was passed over while an op had no answer. */
  passedOver: number | undefined
  readonly #options: ClientBookOptions
  readonly #stamps: Stamps

  constructor(options: ClientBookOptions) {
    this.#options = options
    this.kinds = options.kinds
    this.#stamps = createStamps(options.now)
  }

  put(kind: string, id: string, body: Body): void {
    const before = this.records.get(id)?.said
    const { at, stamp, agent } = this.#head()
    const created_at = before?.op === 'put' ? (before['created_at'] as string) : at
    this.#write({ op: 'put', kind, id, at, stamp, agent, created_at, body })
  }

  forget(id: string): void {
    const before = this.records.get(id)?.said
    if (before?.op === 'put') this.#write({ op: 'forget', kind: before.kind, id, ...this.#head() })
  }

  #head() {
    const { now, agent } = this.#options
    return { at: new Date(now()).toISOString(), stamp: this.#stamps.next(this.name), agent }
  }

  #write(said: Said, rounds = 0): void {
    const here = this.records.get(said.id)
    const waits = this.unsent(said.id)
    if (waits) {
      delete waits.refused
      if (here?.said.op === 'forget' && said.op === 'put') waits.anew = 'forget'
    } else {
      const sent = this.outbox.find(({ id }) => id === said.id)
      const baseBody = sent ? sent.baseBody : here && here.ver > 0 ? bodyOf(here.said) : undefined
      this.outbox.push({ id: said.id, base: here?.ver ?? 0, baseBody, rounds })
    }
    if (said.op === 'forget') this.#withdraw(said)
    if (here) {
      here.knew = said.op === 'put' && (here.said.op === 'forget' || here.knew === true)
      here.said = said
    } else this.records.set(said.id, { said, ver: 0, seq: 0, by: '' })
  }

  /** What was sent and has no answer goes as the forget from here on. */
  #withdraw(said: Said): void {
    const op = this.outbox.find(({ id, sent }) => id === said.id && sent)
    if (!op?.sent) return
    const { mid } = op.sent
    op.sent = { mid, text: JSON.stringify({ ...said, mid, base: op.base, instead: true }), said }
  }

  unsent(id: string): Op | undefined {
    return this.outbox.find((op) => op.id === id && !op.sent)
  }

  hasOp(id: string): boolean {
    return this.outbox.some((op) => op.id === id)
  }

  /** Logs what is here as an op on version `base`. */
  logAnew(id: string, base: number): void {
    this.outbox.push({ id, base, baseBody: undefined, rounds: 0 })
  }

  settle({ mid, s, ver, seq, policy, current, met, error, instead }: Result, floor: number): void {
    const op = this.outbox.find(({ sent }) => sent?.mid === mid)
    const record = op && this.records.get(op.id)
    if (!op?.sent || !record) return
    const { said } = op.sent
    this.outbox = this.outbox.filter((other) => other !== op)
    const later = this.unsent(op.id)
    const goOn = (base: number) => {
      if (later) Object.assign(later, { base, baseBody: bodyOf(said) })
    }
    if (s === 'ok') {
      if (record.seq > seq || (record.seq < seq && seq <= floor))
        this.passedOver = Math.min(this.passedOver ?? Infinity, Math.max(record.seq, seq))
      Object.assign(record, { ver, seq, by: this.name })
      goOn(ver)
      // The mirror has that forget: what waits must not say it once more.
      if (instead && later) delete later.anew
      if (instead && later && record.said === said) this.outbox = this.outbox.filter((one) => one !== later)
    } else if (s === 'rejected') {
      if (later || (error.code === 'not-found' && said.op === 'forget')) return
      delete op.sent
      this.outbox.push({ ...op, refused: true })
    } else if (same(said, current) && !this.#countsMore(op, said, current, policy)) {
      goOn(current.ver)
      if (!later) this.#accept(current)
    } else if (met?.said && same(said, met.said)) {
      goOn(met.ver)
      if (!later) this.#accept(current)
    } else if (later) {
      const kept = met?.logged ? met.said : current
      if (policy !== 'merge' && policy !== 'manual') this.log.push({ id: op.id, lost: said, kept })
    } else if (met ? !met.logged : policy === 'merge') this.#decide(op, said, current, policy)
    else {
      this.#accept(current)
      this.log.push({ id: op.id, lost: said, kept: met ? met.said : current })
    }
    // Nothing of what was purged stays.
    if (((current?.['purged'] as number | undefined) ?? 0) > op.base)
      for (const entry of this.log.filter(({ id }) => id === op.id)) entry.lost = bare(entry.lost)
  }

  #merged({ baseBody }: Op, mine: Said, theirs: Change) {
    const mineIsLater = isLater(mine['stamp'] as string, this.name, theirs.stamp, theirs.by)
    const rules = this.kinds[mine.kind]?.rules ?? {}
    const sides = { base: baseBody ?? {}, mine: bodyOf(mine) ?? {}, theirs: bodyOf(theirs) ?? {} }
    return { mineIsLater, ...merge({ ...sides, rules, mineIsLater }) }
  }

  /** Two edits that counted the same, and are not one that came back. */
  #countsMore(op: Op, mine: Said, theirs: Change, policy: string): boolean {
    const stamp = mine['stamp'] as string
    const isOne = stamp.slice(12) === theirs.stamp.slice(12) && stamp >= theirs.stamp
    if (policy !== 'merge' || !op.baseBody || isOne || !bodyOf(mine) || !bodyOf(theirs)) return false
    return !same({ ...theirs, body: this.#merged(op, mine, theirs).body }, theirs)
  }

  /** What nobody has decided or logged. */
  #decide(op: Op, mine: Said, theirs: Change, policy: string): void {
    const { id, rounds } = op
    this.#accept(theirs)
    const [one, other] = [bodyOf(mine), bodyOf(theirs)]
    if (one && ((theirs['gone'] as number | undefined) ?? 0) > op.base) {
      this.log.push({ id, lost: mine, kept: theirs })
      return
    }
    const revives = this.kinds[mine.kind]?.laterEditRevives === true && theirs['purged'] === undefined
    if (
      one &&
      theirs.op === 'forget' &&
      revives &&
      isLater(mine['stamp'] as string, this.name, theirs.stamp, theirs.by)
    ) {
      this.#write(mine, rounds + 1)
      Object.assign(this.unsent(id) ?? {}, { base: op.base })
      return
    }
    if (policy !== 'merge' || !one || !other || rounds >= 5) {
      this.log.push({ id, lost: mine, kept: theirs })
      return
    }
    const { mineIsLater, body, clashes } = this.#merged(op, mine, theirs)
    const [won, lost] = mineIsLater ? [mine, theirs] : [theirs, mine]
    if (clashes.length > 0) this.log.push({ id, lost, kept: won })
    if (JSON.stringify(body) === JSON.stringify(other)) return
    const { kind, agent } = mine
    const scope = ['session', 'resource'].filter((name) => won[name] !== undefined)
    const said: Said = { op: 'put', kind, id, ...this.#head(), agent, created_at: theirs['created_at'], body }
    for (const name of scope) said[name] = won[name]
    this.#write(said, rounds + 1)
  }

  #accept({ ver, seq, by, ...said }: Change): void {
    this.#stamps.see(said['stamp'] as string)
    const knew = said['gone'] !== undefined
    this.records.set(said['id'] as string, { said: said as Said, ver, seq, by, knew })
  }

  /** A change of others; `isAnew` while what lies above some place is read again. */
  take(change: Change, isAnew: boolean): void {
    const { id, ver, seq, by } = change
    const record = this.records.get(id)
    if (!record) return this.#accept(change)
    if (this.hasOp(id)) return void Object.assign(record, { seq, by })
    if (record.ver === 0) return this.#meet(record, change)
    if (isAnew && record.seq === 0 && record.ver === ver) return void Object.assign(record, { seq, by })
    if (ver > record.ver || isAnew) this.#accept(change)
  }

  /** While starting over: what is here and what the mirror says, of which nobody knows which knew of which. */
  #meet({ said, knew = false }: Local, change: Change): void {
    if (same(said, change)) return this.#accept(change)
    const later = change.stamp >= (said['stamp'] as string)
    const theyKnew = change['gone'] !== undefined
    const revives = this.kinds[said.kind]?.laterEditRevives === true
    const isTheirs =
      said.op === change.op
        ? knew === theyKnew
          ? later
          : theyKnew
        : revives
          ? later
          : said.op === 'put'
            ? !knew || later
            : theyKnew && later
    const [lost, kept] = isTheirs ? [said, change] : [change, said]
    this.log.push({ id: said.id, lost, kept })
    if (isTheirs) this.#accept(change)
    else this.logAnew(said.id, change.ver)
  }

  /** After reading anew: the mirror does not have it any more. It was forgotten, by whom nobody knows. */
  miss(record: Local): void {
    const { said } = record
    if (said.op === 'forget') return
    const { kind, id, stamp, agent } = said as Change
    const gone: Said = { op: 'forget', kind, id, at: this.#head().at, stamp, agent }
    const waits = this.unsent(id)
    // The mirror knows whether it was forgotten or purged, and decides.
    if (waits) delete waits.refused
    if (!this.hasOp(id)) record.said = gone
  }

  /** Drops the tombstones that the mirror no longer has. */
  collect(floor: number): void {
    for (const [id, { said, seq }] of this.records)
      if (said.op === 'forget' && seq > 0 && seq <= floor && !this.hasOp(id)) this.records.delete(id)
  }

  /** Every live record, as it is here: its head and its body. */
  all(): Record<string, object> {
    const live = [...this.records.values()].filter(({ said }) => said.op === 'put')
    return Object.fromEntries(
      live.map(({ said, ver }) => {
        const { id, kind, at, agent, body } = said
        const head = headNames.filter((name) => said[name] !== undefined).map((name) => [name, said[name]])
        const own = { id, kind, updated_at: at, agent, ver }
        return [id, { ...(body as object), ...own, ...Object.fromEntries(head) }]
      }),
    )
  }
}
