// The task queue of a book at the edge: its object may be thrown away at any time, and with it every timer, and a pending
// timer would keep it from being. So what is due later is a job of the object's alarm, which outlives it.
// Invariant: while a task waits or runs, the job is planned for when it is due, or its try should have ended.
import { parseTime } from '../src/core/time.ts'
import type { Engine } from '../src/engine/engine.ts'
import type { DueTable } from './due-table.ts'

export const taskJob = 'tasks'
/** The platform's clock and ours may differ by this much: what is due so soon is waited for. */
const soonMs = 1000
/** However much there is to do, one ringing takes no longer; the next one goes on. */
const longestMs = 5 * 60_000

export interface TaskWatch {
  /** Plans the job as the queue stands now; true when that changed something. */
  plan(): boolean
  /** Resolves when no task is due any more, and none runs. */
  run(): Promise<void>
}

export function createTaskWatch({ store: { tasks, newer }, on, wake }: Engine, due: DueTable): TaskWatch {
  let planned: number | undefined
  let isKnown = false
  let isRunning = false

  // A book that can't be written runs nothing.
  const nextMs = () => (newer ? undefined : parseTime(tasks.nextLook() ?? ''))

  return {
    plan() {
      const next = nextMs()
      // While the job runs, it is planned anew at its end.
      if (isRunning || (isKnown && next === planned)) return false
      isKnown = true
      planned = next
      if (next === undefined) due.drop(taskJob)
      else due.plan(taskJob, next)
      return true
    },
    run() {
      isRunning = true
      isKnown = false
      return new Promise((resolve) => {
        let cancelSoon = () => undefined as void
        const end = () => {
          off()
          isRunning = false
          clearTimeout(timer)
          cancelSoon()
          resolve()
        }
        const look = () => {
          const waitMs = (nextMs() ?? Infinity) - Date.now()
          if (waitMs > soonMs && !tasks.isRunning()) return end()
          cancelSoon()
          if (waitMs <= 0 || waitMs > soonMs) return
          const soon = setTimeout(wake, waitMs + 1)
          cancelSoon = () => clearTimeout(soon)
        }
        const off = on(({ name }) => {
          if (name === 'task' || name === 'closed') look()
        })
        const timer = setTimeout(end, longestMs)
        wake()
        look()
      })
    },
  }
}
