// Sends the outbox over one carrier, oldest first.
// Invariant: the cursor moves only after the carrier has stored an envelope, so an envelope may be sent twice, but
// is never skipped; an envelope that is withdrawn before it is sent is not sent.
import type { Outgoing, PoolCarrier, PoolSending } from '../../../core/pool.ts'
import type { ServiceParts } from '../../../core/capability/chapter.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Keyring } from '../../../core/ports.ts'
import { parseTime } from '../../../core/time.ts'
import { signedEnvelopeText } from '../../../shape/envelope.ts'
import { activeForMs } from '../rule/presence.ts'

const batch = 200
const firstRetryMs = 1000
const lastRetryMs = 60_000

type PumpParts = Pick<ServiceParts, 'pool' | 'write' | 'keys' | 'scheduler' | 'clock' | 'log'>

/** Signs an envelope with this device's key, if it has one. */
export async function signEnvelope(text: string, keys: Keyring): Promise<string> {
  const signer = await keys.signer()
  if (!signer) return text
  const envelope = JSON.parse(text) as JsonObject
  const value = await signer.sign(signedEnvelopeText(envelope))
  return JSON.stringify({ ...envelope, signature: { key: signer.key, value } })
}

export class CarrierPump {
  readonly #carrier: PoolCarrier
  readonly #parts: PumpParts
  #isRunning = false
  #isWoken = false
  #isClosed = false
  #retryMs = firstRetryMs
  #cancelRetry: (() => void) | undefined
  #fault: string | undefined

  constructor(carrier: PoolCarrier, parts: PumpParts) {
    this.#carrier = carrier
    this.#parts = parts
  }

  /** Call it when the outbox may have envelopes, or the carrier is open again. */
  wake(): void {
    if (this.#isClosed) return
    this.#isWoken = true
    if (this.#isRunning) return
    this.#isRunning = true
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    void this.#run()
  }

  /** The reason why nothing is sent; undefined if all is well. */
  degraded(): string | undefined {
    const own = this.#carrier.degraded?.()
    const fault = own ?? this.#fault
    return fault === undefined ? undefined : `The pool can't send over ${this.#carrier.name}: ${fault}`
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRetry?.()
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false
        if (await this.#sendSome()) this.#isWoken = true
      }
      this.#fault = undefined
      this.#retryMs = firstRetryMs
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error)
      this.#retryLater()
    } finally {
      this.#isRunning = false
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return
    this.#cancelRetry = this.#parts.scheduler.later(this.#retryMs, () => this.wake())
    this.#retryMs = Math.min(lastRetryMs, this.#retryMs * 2)
  }

  /** Sends one batch. True if there may be more. */
  async #sendSome(): Promise<boolean> {
    const { pool, write, keys } = this.#parts
    const { name } = this.#carrier
    const waiting = pool.outbox(name, batch)
    if (waiting.length === 0) return false
    const signed: (Outgoing | undefined)[] = []
    for (const one of waiting) signed.push(await this.#outgoing(one, keys))
    if (this.#isClosed) return false
    const due = signed.map((one) => (one?.isTakenBack?.() === true ? undefined : one))
    const sent = await Promise.allSettled(due.map((one) => one && this.#carrier.send(one)))
    const failed = sent.findIndex(({ status }) => status === 'rejected')
    const last = waiting[(failed === -1 ? waiting.length : failed) - 1]
    if (last && !this.#isClosed) await write((at) => at.pool.sent(name, last.n))
    const fault = sent[failed]
    if (fault?.status === 'rejected') throw fault.reason
    return waiting.length === batch
  }

  /** Undefined for a withdrawn envelope, and for presence that is too old. */
  async #outgoing(
    { n, type, key, group, text, own }: PoolSending,
    keys: Keyring,
  ): Promise<Outgoing | undefined> {
    if (text === '') return undefined
    if (type === 'presence') {
      const { timestamp } = JSON.parse(text) as { timestamp: string }
      if (this.#parts.clock.now() - (parseTime(timestamp) ?? 0) > activeForMs) return undefined
    }
    const isTakenBack = () => this.#isClosed || !this.#parts.pool.isToSend(n)
    return { type, key, group, text: own ? await signEnvelope(text, keys) : text, isTakenBack }
  }
}
