// Vectors of a book at the edge, whose object may be thrown away at any time, its timers with it: what is still to be
// embedded is a job of the object's alarm, which outlives it.
// Invariant: while a record may have no vector, the job is planned.
import type { Engine } from '../src/engine/engine.ts'
import type { EmbedStatus } from '../src/core/capability/status.ts'
import type { DueTable } from './due-table.ts'

export const embedJob = 'embed'
/** A living object embeds by itself within seconds; the alarm is for one that was thrown away. */
const laterMs = 30_000
/** An embedder that fails is left alone for so long. */
const failingMs = 300_000
/** One ringing takes no longer; the next one goes on. */
const longestMs = 60_000
const lookMs = 500

export interface EmbedWatch {
  /** Plans the job if something is to be embedded; true when it did. */
  plan(): boolean
  /** Resolves when all is embedded, or nothing more can be for now. */
  run(): Promise<void>
}

export function createEmbedWatch({ store, on, call }: Engine, due: DueTable): EmbedWatch {
  const isBehind = () => store.projection.isBehind() || store.vectors.missing() > 0
  const status = () => call('embed:status', {}) as Promise<EmbedStatus>
  return {
    plan() {
      if (!isBehind()) return false
      due.ensure(embedJob, Date.now() + laterMs)
      return true
    },
    async run() {
      const began = Date.now()
      await new Promise<void>((resolve) => {
        const end = () => {
          off()
          clearInterval(timer)
          resolve()
        }
        const look = () =>
          void status().then(({ state, behind }) => {
            if (behind === 0 || state === 'failing' || Date.now() - began > longestMs) end()
          }, end)
        const off = on(({ name }) => name === 'progress' && look())
        // No event comes of a failure.
        const timer = setInterval(look, lookMs)
        look()
      })
      const { state, behind } = await status()
      if (behind > 0 && state !== 'off')
        due.plan(embedJob, Date.now() + (state === 'failing' ? failingMs : laterMs))
    },
  }
}
