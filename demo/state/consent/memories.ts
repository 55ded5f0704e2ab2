// The memories of the book by status, type and category, as the address narrows them.
// Invariant: what is on show is changed in place; what comes anew is counted, and shown when it is asked for.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { tell, tellError } from '../../page/toast.ts'
import { address, chipOf } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { held, onLocked } from '../held.ts'

export type Memory = CapabilityOutput<'a2p:query_memories'>['memories'][number]

interface Listed {
  readonly memories: readonly Memory[]
  readonly cursor: string | undefined
  readonly sealed: number
}

export const listed = held<Listed | undefined>(undefined, ['memories'])
export const memoriesFailure = signal<unknown>(undefined)
/** How many came since the list was read. */
export const freshCount = signal(0)
/** The one that is being changed, or `new`. */
export const editing = signal<Memory | 'new' | undefined>(undefined)
export const forgetting = signal<Memory | undefined>(undefined)

const pageSize = 100

type Query = NonNullable<CapabilityInput<'a2p:query_memories'>>

const query = computed((): Query => {
  const [type, category] = [chipOf('type'), chipOf('category')]
  const chosen = chipOf('status') ?? 'approved'
  return {
    ...(chosen === 'flagged'
      ? { status: 'approved' as const, flagged: true as const }
      : { status: chosen as NonNullable<Query['status']> }),
    ...(type === undefined ? {} : { memory_type: type as NonNullable<Query['memory_type']> }),
    ...(category === undefined ? {} : { category }),
  }
})

async function read(limit: number, cursor?: string): Promise<Listed> {
  const found = await (
    await openedBook()
  ).memories.query({ ...query.peek(), limit, ...(cursor === undefined ? {} : { cursor }) })
  return { memories: found.memories, cursor: found.cursor, sealed: found.sealed ?? 0 }
}

let asked = 0
/** Runs `ask` and takes its answer unless something else was asked meanwhile. */
async function take(ask: () => Promise<Listed>): Promise<void> {
  asked += 1
  const mine = asked
  try {
    const found = await ask()
    if (mine !== asked) return
    listed.value = found
    memoriesFailure.value = undefined
  } catch (error) {
    if (mine === asked) memoriesFailure.value = error
  }
}

export async function loadMemories(): Promise<void> {
  freshCount.value = 0
  await take(() => read(pageSize))
}

export async function loadMore(): Promise<void> {
  const before = listed.peek()
  if (before?.cursor === undefined) return
  await take(async () => {
    const more = await read(pageSize, before.cursor)
    return { ...more, memories: [...before.memories, ...more.memories] }
  })
}

/** Reads what is on show anew; what is new to it is only counted. */
async function refresh(): Promise<void> {
  const before = listed.peek()
  if (!before || before.memories.length === 0) return loadMemories()
  const known = new Set(before.memories.map(({ id }) => id))
  let count = 0
  await take(async () => {
    const found = await read(Math.min(Math.max(before.memories.length, pageSize), 1000))
    const now = new Map(found.memories.map((one) => [one.id, one]))
    count = found.memories.filter(({ id }) => !known.has(id)).length
    return {
      ...found,
      memories: before.memories.flatMap(({ id }) => now.get(id) ?? []),
      cursor: found.cursor,
    }
  })
  freshCount.value = count
}

type Store = CapabilityInput<'a2p:store_memory'>
type Edit = CapabilityInput<'a2p:edit_memory'>

/** Stores or changes one. Answers why it was not done. */
export async function saveMemory(input: { store: Store } | { edit: Edit }): Promise<unknown> {
  try {
    const { memories } = await openedBook()
    await ('store' in input ? memories.store(input.store) : memories.edit(input.edit))
    editing.value = undefined
    tell('store' in input ? 'Memory added.' : 'Memory changed.')
    await loadMemories()
    return undefined
  } catch (error) {
    return error
  }
}

export async function archiveMemory({ id }: Memory, archived: boolean): Promise<void> {
  try {
    await (await openedBook()).memories.archive({ id, archived })
    const undo = () => void archiveMemory({ id } as Memory, !archived)
    tell(archived ? 'Archived. It is kept, but no longer recalled.' : 'Restored.', {
      word: 'Undo',
      run: undo,
    })
    await refresh()
  } catch (error) {
    tellError(archived ? 'The memory was not archived.' : 'The memory was not restored.', error)
  }
}

export async function forgetMemory({ id }: Memory): Promise<void> {
  forgetting.value = undefined
  try {
    await (await openedBook()).memories.forget({ id })
    tell('Memory forgotten.')
    await refresh()
  } catch (error) {
    tellError('The memory was not forgotten.', error)
  }
}

effect(() => {
  void query.value
  if (address.value.view === 'memories' && book.value) void loadMemories()
})
onBook('change', ({ kinds }) => {
  if (address.peek().view === 'memories' && kinds.includes('memory')) void refresh()
})
onLocked(() => {
  editing.value = undefined
  forgetting.value = undefined
})
