// A book in memory for an evaluation, and a stopwatch on each recall.
import { setTimeout as pause } from 'node:timers/promises'
import { bookTable } from '../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../src/book/daybook.ts'
import { minTexts } from '../../src/recall/embed/lsa-model.ts'
import { createLocalDoor } from '../../src/doors/local-door.ts'
import { capabilityTable, kinds } from '../../src/engine/capability-table.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { openNodeDatabase } from '../../src/hosts/node/book/node-database.ts'
import { type EmbedderOptions, openDaybook } from '../../src/hosts/node/index.ts'
import { nodeEmbedder } from '../../src/hosts/node/model/node-embedder.ts'
import type { Clock } from '../../src/core/ports.ts'
import type { EmbedderSource } from '../../src/recall/embed/create-embedder.ts'
import { nodePorts } from '../../src/hosts/node/port/node-ports.ts'
import type { RecallPart } from '../../src/recall/part.ts'

export interface EvalBook {
  readonly book: Daybook
  readonly recall: (query: Parameters<Daybook['recall']>[0]) => ReturnType<Daybook['recall']>
  /** Waits until every record has its vector, if the book has an embedder. */
  ready(): Promise<void>
  close(): Promise<void>
}

let serial = 0

/** Vectors that were made in this run, by model, purpose and text: books of one corpus follow each other. */
const made = new Map<string, Float32Array>()

/** Embeds each text once, however many books hold it. */
function onlyOnce(source: EmbedderSource): EmbedderSource {
  return {
    ...source,
    open(parts) {
      const inner = source.open(parts)
      const keyOf = (text: string, purpose: string) =>
        JSON.stringify([inner.provider, inner.model, purpose, text])
      const embed: typeof inner.embed = async (texts, purpose, signal) => {
        const missing = [...new Set(texts)].filter((text) => !made.has(keyOf(text, purpose)))
        const answer = missing.length > 0 ? await inner.embed(missing, purpose, signal) : []
        missing.forEach((text, i) => made.set(keyOf(text, purpose), answer[i] as Float32Array))
        return texts.map((text) => made.get(keyOf(text, purpose)) as Float32Array)
      }
      return new Proxy(inner, {
        get(of, name) {
          const value: unknown = name === 'embed' ? embed : Reflect.get(of, name, of)
          // Bound, because methods of a class need the embedder itself.
          return typeof value === 'function' ? (value.bind(of) as unknown) : value
        },
      })
    },
  }
}

/** `whole`: whole answers, which are left out by `want: 'best'`. */
export type EvalPart = RecallPart | 'whole'

/** Settings of an evaluation that no option of a user has. */
export interface EvalSettings {
  /** Parts of recall to leave out. */
  readonly without?: readonly EvalPart[]
  /** Default: the clock of the machine. */
  readonly clock?: Clock
}

/** A book in memory with these settings; its zone is UTC. No secret is sealed or masked: not every host has keys. */
function openWith(
  name: string,
  embedder: EmbedderOptions,
  { without = [], clock = nodePorts.clock }: EvalSettings,
): Daybook {
  const source = nodeEmbedder(embedder)
  const engine = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports: { ...nodePorts, clock },
    name,
    scope: { agent: 'eval' },
    durability: 'memory',
    secrets: 'off',
    recallWithout: new Set(without.filter((part) => part !== 'whole')),
    ...(source ? { embedder: embedder.provider === 'lsa' ? source : onlyOnce(source) } : {}),
  })
  return createDaybook(
    createLocalDoor(engine, nodePorts.scheduler),
    bookTable(capabilityTable, kinds),
    globalThis,
  )
}

/** An embedder that fails for so long is not worth waiting for. */
const patienceMs = 60_000

export interface Stopwatch {
  /** Milliseconds of every recall. */
  readonly times: number[]
  /** Recalls that had to do without a leg. */
  degraded: number
}

export async function openEvalBook(
  embedder: EmbedderOptions,
  watch: Stopwatch,
  settings?: EvalSettings,
): Promise<EvalBook> {
  const name = `eval-${++serial}`
  const book =
    settings !== undefined
      ? openWith(name, embedder, settings)
      : await openDaybook({ name, agent: 'eval', path: ':memory:', secrets: 'off', embedder })
  const best = settings?.without?.includes('whole') ? ({ want: 'best' } as const) : {}
  return {
    book,
    async recall(query) {
      const began = performance.now()
      const result = await book.recall({ ...best, ...query })
      watch.times.push(performance.now() - began)
      if (result.degraded.length > 0) watch.degraded += 1
      return result
    },
    async ready() {
      if (embedder.provider === 'none') return
      let failing = 0
      for (;;) {
        const { behind, state, lastError } = await book.embedder.status()
        if (behind === 0 && state !== 'failing') return
        // So few make no model.
        if (embedder.provider === 'lsa' && state === 'waiting' && behind < minTexts) return
        failing = state === 'failing' ? failing + 1 : 0
        if (failing * 100 > patienceMs) throw new Error(lastError?.message)
        await pause(100)
      }
    },
    close: () => book.close(),
  }
}
