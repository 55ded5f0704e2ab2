// Sends the outbox over one carrier, oldest first.
// Invariant: the cursor moves only after the carrier has stored an envelope, so an envelope may be sent twice, but
// is never skipped; an envelope that is withdrawn before it is sent is not sent.
import type { Outgoing, PoolCarrier, PoolSending } from '../../../core/pool.ts'
import type { ServiceParts } from '../../../core/capability/chapter.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Keyring } from '../../../core/ports.ts'
import { parseTime } from '../../../core/time.ts'
import { signedEnvelopeText } from '../../../shape/envelope.ts'
import { presenceTtlMs } from '../rule/presence.ts'

const batchSize = 200
/** After a failure; each further failure doubles the delay. */
const firstRetryMs = 1000
const maxRetryMs = 60_000

type PumpDeps = Pick<ServiceParts, 'pool' | 'write' | 'keys' | 'scheduler' | 'clock'>

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
  readonly #deps: PumpDeps
  #isRunning = false
  /** True if `wake` was called since the last batch. */
  #isWoken = false
  #isClosed = false
  #retryMs = firstRetryMs
  #cancelRetry: (() => void) | undefined
  #fault: string | undefined

  constructor(carrier: PoolCarrier, deps: PumpDeps) {
    this.#carrier = carrier
    this.#deps = deps
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
    const carrierFault = this.#carrier.degraded?.()
    const fault = carrierFault ?? this.#fault
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
        if (await this.#sendBatch()) this.#isWoken = true
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
    this.#cancelRetry = this.#deps.scheduler.later(this.#retryMs, () => this.wake())
    this.#retryMs = Math.min(maxRetryMs, this.#retryMs * 2)
  }

  /** Sends one batch. True if there may be more. */
  async #sendBatch(): Promise<boolean> {
    const { pool, write, keys } = this.#deps
    const { name } = this.#carrier
    const batch = pool.outbox(name, batchSize)
    if (batch.length === 0) return false
    const signed: (Outgoing | undefined)[] = []
    for (const one of batch) signed.push(await this.#toOutgoing(one, keys))
    if (this.#isClosed) return false
    const outgoing = signed.map((one) => (one?.isTakenBack?.() === true ? undefined : one))
    const results = await Promise.allSettled(outgoing.map((one) => one && this.#carrier.send(one)))
    const firstFailed = results.findIndex(({ status }) => status === 'rejected')
    const lastSent = batch[(firstFailed === -1 ? batch.length : firstFailed) - 1]
    if (lastSent && !this.#isClosed) await write((transaction) => transaction.pool.sent(name, lastSent.n))
    const failure = results[firstFailed]
    if (failure?.status === 'rejected') throw failure.reason
    return batch.length === batchSize
  }

  /** Undefined for a withdrawn envelope, and for presence that is too old. */
  async #toOutgoing(
    { n, type, key, group, text, own }: PoolSending,
    keys: Keyring,
  ): Promise<Outgoing | undefined> {
    // A withdrawal has emptied the text.
    if (text === '') return undefined
    if (type === 'presence') {
      const { timestamp } = JSON.parse(text) as { timestamp: string }
      if (this.#deps.clock.now() - (parseTime(timestamp) ?? 0) > presenceTtlMs) return undefined
    }
    // `own`: this book made the envelope and signs it now. Another one has the signature of its claw.
    const isTakenBack = () => this.#isClosed || !this.#deps.pool.isToSend(n)
    return { type, key, group, text: own ? await signEnvelope(text, keys) : text, isTakenBack }
  }
}
