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
import type { EmbedderSource } from '../../src/recall/embed/create-embedder.ts'
import { nodePorts } from '../../src/hosts/node/port/node-ports.ts'
import type { RecallPart } from '../../src/recall/part.ts'

/** What was measured, by name. */
export type Figures = Readonly<Record<string, number>>

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

/** A book in memory whose recall goes without some of its parts: no option of a user says that. */
function openWithout(name: string, embedder: EmbedderOptions, without: readonly RecallPart[]): Daybook {
  const source = nodeEmbedder(embedder)
  const engine = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports: nodePorts,
    name,
    scope: { agent: 'eval' },
    durability: 'memory',
    recallWithout: new Set(without),
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
  without?: readonly RecallPart[],
): Promise<EvalBook> {
  const name = `eval-${++serial}`
  const book =
    without !== undefined
      ? openWithout(name, embedder, without)
      : await openDaybook({ name, agent: 'eval', path: ':memory:', embedder })
  return {
    book,
    async recall(query) {
      const began = performance.now()
      const result = await book.recall(query)
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
