// Loads the tools of an open book on first use.
import type { ToolSource } from '../../book/tool/tool-source.ts'
import { loadPart } from '../../core/load-part.ts'
import type { Scheduler } from '../../core/ports.ts'

/** The error if the tools don't load. */
const missing = { message: 'The tools of the book could not be loaded.', details: { part: 'tools' } }

export function loadLocalTools(scheduler: Pick<Scheduler, 'later'>): ToolSource {
  const load = async () => (await import('./local-tools.ts')).createLocalTools()
  let loading: Promise<ToolSource> | undefined
  const tools = (): Promise<ToolSource> =>
    (loading ??= loadPart(load, missing, scheduler).catch((error: unknown) => {
      // The next call tries again.
      loading = undefined
      throw error
    }))
  return {
    list: async (sets) => (await tools()).list(sets),
    run: async (sets, name, input, call) => (await tools()).run(sets, name, input, call),
  }
}
