// The engine with the verbs of every chapter, for Node, the edge and tests. A browser's worker uses open-engine.ts
// with later-chapters.ts.
import {
  capabilityTable,
  chapterPorts,
  chapters,
  effectOf,
  findCapability,
  kinds,
} from './capability-table.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Engine } from './engine-shape.ts'
import { openEngine } from './open-engine.ts'

export type { EngineOptions } from './engine-options.ts'
export type { Engine } from './engine-shape.ts'

/** Opens the book in `options.db`; the engine answers calls on that book. */
export function createEngine(options: EngineOptions): Engine {
  return openEngine(options, {
    kinds,
    chapters,
    ports: chapterPorts,
    facts: capabilityTable,
    effectOf,
    find: findCapability,
    load: () => undefined,
  })
}
