// Loads the tools of an open book on first use.
import type { ToolSource } from '../../book/tool/tool-source.ts'

export function loadLocalTools(): ToolSource {
  let localTools: ToolSource | undefined
  const load = async () => (localTools ??= (await import('./local-tools.ts')).createLocalTools())
  return {
    list: async (sets) => (await load()).list(sets),
    run: async (sets, name, input, call) => (await load()).run(sets, name, input, call),
  }
}
