// Carriers of one process: what one sends the others get, when they are told to; and it can fail, lose nothing and double.
import type { Outgoing, PoolCarrier, PoolCarrierHooks, Taken } from '../../../../src/core/pool.ts'

export class MemoryBus {
  readonly sent: Outgoing[] = []
  readonly results: Taken[] = []
  isDown = false
  readonly #open = new Map<PoolCarrier, PoolCarrierHooks>()

  /** `servesOnePerson`: as the tabs of a browser are, where anybody counts. */
  carrier(name = 'memory', servesOnePerson = true): PoolCarrier {
    const carrier: PoolCarrier = {
      name,
      servesOnePerson,
      open: (hooks) => void this.#open.set(carrier, hooks),
      send: async (envelope) => {
        if (this.isDown) throw new Error('the bus is down')
        this.sent.push(envelope)
        for (const [other, hooks] of this.#open)
          if (other !== carrier) this.results.push(await hooks.received(envelope.text))
      },
      close: () => void this.#open.delete(carrier),
    }
    return carrier
  }

  up(): void {
    this.isDown = false
    for (const hooks of this.#open.values()) hooks.ready()
  }
}
