// Tabs of one book may be opened with different options; those of the tab that holds the book are used for all of them.
import type { EngineOptions } from './engine-options.ts'
import type { CallingTab } from './engine-shape.ts'

/** What a tab is told whose embedder, mirror, language model or size of the meeting room is not the one that works for the book. */
export function unlikeOwner(
  tab: CallingTab,
  used: Pick<EngineOptions, 'embedder' | 'mirror' | 'llm'> & { readonly room: string },
): string[] {
  return [
    unlikeEmbedder(tab, used),
    unlike('sync', tab.mirror, used.mirror),
    unlike('llm', tab.llm, used.llm?.name),
    unlike('room', tab.room, used.room),
  ].filter((why) => why !== undefined)
}

/** What a tab is told whose embedder is not the one that works for the book, because another tab holds it. */
export function unlikeEmbedder(
  tab: CallingTab,
  { embedder }: Pick<EngineOptions, 'embedder'>,
): string | undefined {
  return unlike('embedder', tab.embedder, embedder?.name)
}

function unlike(option: string, wanted: string | undefined, used = 'none'): string | undefined {
  if (wanted === undefined || wanted === used) return undefined
  return `${option}: this tab was opened with \`${wanted}\`, but the tab that holds the book has \`${used}\`, which is used.`
}
