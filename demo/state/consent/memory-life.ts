// What becomes of memories later: those that say nearly the same, one made of several, another class, and the upkeep.
// Invariant: what the engine can take back is offered to be taken back where its result is told.
import { signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { tell, tellError } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { onBook, openedBook } from '../book.ts'
import { loadMemories, type Memory } from './memories.ts'
import { onLocked } from '../held.ts'

export type Similar = CapabilityOutput<'a2p:find_similar'>['similar'][number]
type Classed = CapabilityOutput<'a2p:classify'>

/** The memory whose likes are looked at, and the one that is being put into another class. */
export const comparing = signal<Memory | undefined>(undefined)
export const classing = signal<Memory | undefined>(undefined)

/** How far the upkeep is; undefined while none runs. */
export const upkeep = signal<{ readonly done: number; readonly total: number } | undefined>(undefined)

export async function findSimilar({ id }: Memory): Promise<CapabilityOutput<'a2p:find_similar'>> {
  return (await openedBook()).memories.similar({ id, limit: 20 })
}

/** Makes one memory of several. Answers why it was not done. */
export async function consolidate(ids: string[], content: string): Promise<unknown> {
  try {
    const { memories } = await openedBook()
    const { id } = await memories.consolidate({ ids, content })
    comparing.value = undefined
    tell(`Merged ${ids.length} memories into one. Forget it to restore them.`, {
      word: 'Undo',
      run: () => void takeApart(id),
    })
    await loadMemories()
    return undefined
  } catch (error) {
    return error
  }
}

async function takeApart(id: string): Promise<void> {
  try {
    await (await openedBook()).memories.forget({ id })
    tell('Original memories restored.')
    await loadMemories()
  } catch (error) {
    tellError('The merge could not be undone.', error)
  }
}

/** Gives a memory another class. Answers why it was not done. */
export async function reclassify(
  memory: Memory,
  change: Pick<CapabilityInput<'a2p:reclassify'>, 'memory_type' | 'category' | 'reason'>,
): Promise<unknown> {
  const { id, memory_type, category } = memory
  try {
    const { memories } = await openedBook()
    await memories.reclassify({ id, ...change })
    classing.value = undefined
    const back = { id, memory_type, category, reason: 'Taken back by the user.' } as const
    tell('Type and category changed.', {
      word: 'Undo',
      run: () =>
        void memories.reclassify(back).catch((error: unknown) => tellError('It could not be undone.', error)),
    })
    return undefined
  } catch (error) {
    return error
  }
}

/** What the text reads like. */
export async function suggestType({ content, category, sensitivity }: Memory): Promise<Classed> {
  const level = sensitivity as NonNullable<CapabilityInput<'a2p:classify'>['sensitivity']>
  return (await openedBook()).memories.classify({ content, category, sensitivity: level })
}

export async function confirmMemory({ id }: Memory): Promise<void> {
  try {
    await (await openedBook()).memories.edit({ id, confirmed: true })
    tell('Confirmed. Its confidence was reset.')
  } catch (error) {
    tellError('The memory was not confirmed.', error)
  }
}

/** Does now what the book does every day. */
export async function maintain(): Promise<void> {
  if (upkeep.peek()) return
  upkeep.value = { done: 0, total: 0 }
  try {
    const { promoted, flagged, archived } = await (await openedBook()).memories.maintain()
    const parts = [
      promoted > 0 && `${countOf(promoted, 'episode')} became semantic`,
      flagged > 0 && `${countOf(flagged, 'memory', 'memories')} to review`,
      archived > 0 && `${archived} archived, which can be restored`,
    ].filter((part) => part !== false)
    tell(parts.length > 0 ? `Maintenance done: ${parts.join('; ')}.` : 'Nothing to do.')
  } catch (error) {
    tellError('Maintenance failed.', error)
  } finally {
    upkeep.value = undefined
  }
}

onBook('progress', ({ capability, done, total }) => {
  if (capability === 'a2p:maintain' && upkeep.peek()) upkeep.value = { done, total: total ?? done }
})
onLocked(() => {
  comparing.value = undefined
  classing.value = undefined
})
