// The mirror of one book as a Durable Object. Wiring only: the engine and the mirror are the ones of every host.
import { DurableObject } from 'cloudflare:workers'
import { DaybookError } from '../src/core/errors.ts'
import { createEngine, type Engine } from '../src/engine.ts'
import { createMirror, type Mirror as SyncMirror } from '../src/sync/mirror.ts'
import { fromBearer } from '../src/trust/token.ts'
import { openDoDatabase } from './do-database.ts'
import type { EdgeEnv, MirrorDoor, Presented } from './edge-env.ts'
import { type Outcome, toOutcome } from './outcome.ts'
import { workerKeyring } from './worker-keyring.ts'
import { workerPorts } from './worker-ports.ts'

/** The agent that is named when a caller over HTTP stores something and names none. */
const edgeAgent = 'edge'
const tidyEveryMs = 86_400_000

export class Mirror extends DurableObject<EdgeEnv> implements MirrorDoor {
  #opened: { readonly engine: Engine; readonly mirror: SyncMirror } | undefined

  /** Opened by the first call, so that what goes wrong is that call's answer. */
  #open() {
    if (this.#opened) return this.#opened
    const engine = createEngine({
      db: openDoDatabase(this.ctx.storage),
      ports: workerPorts,
      keys: workerKeyring,
      name: this.ctx.id.name ?? '',
      scope: { agent: edgeAgent },
      durability: 'durable-object',
      role: 'mirror',
    })
    const mirror = createMirror({ store: engine.store, ...workerPorts })
    this.#opened = { engine, mirror }
    void this.#keepTidy()
    return this.#opened
  }

  async #keepTidy(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(Date.now() + tidyEveryMs)
  }

  /** Once a day, as long as there is a book: what nobody can need any more is taken away. */
  override async alarm(): Promise<void> {
    await this.#open().mirror.tidy()
    await this.ctx.storage.setAlarm(Date.now() + tidyEveryMs)
  }

  exchange(request: unknown, { bearer }: Presented = {}): Promise<Outcome<unknown>> {
    return toOutcome(async () => {
      if (bearer !== undefined) await this.#openFor(bearer).engine.check('daybook:sync', { bearer })
      return this.#open().mirror.exchange(request)
    })
  }

  call(
    id: string,
    input: unknown,
    options: Presented & { readonly requestId?: string } = {},
  ): Promise<Outcome<unknown>> {
    return toOutcome(() => {
      const { engine } = options.bearer === undefined ? this.#open() : this.#openFor(options.bearer)
      return engine.call(id, input, options)
    })
  }

  /** A stranger with a token that can't be one of this book makes no book. */
  #openFor(bearer: string) {
    const tables = this.ctx.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'records'").toArray()
    if (tables.length > 0 && fromBearer(bearer)) return this.#open()
    throw new DaybookError('unauthorized', 'Token not found.', { details: { reason: 'Token not found' } })
  }
}
