// The log of access, newest first, narrowed by agent and outcome as the address says. A denial has several codes, so its list
// is put together from one for each. Invariant: entries come in the order of their numbers, none twice.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { address, chipOf } from '../address.ts'
import { book, openedBook } from '../book.ts'
import { held } from '../held.ts'

export type AccessEntry = CapabilityOutput<'access:log'>['entries'][number]

/** Codes with which a caller is turned away for what it may not do. */
export const deniedCodes = ['forbidden', 'unauthorized', 'consent-required', 'rate-limited'] as const

interface Source {
  readonly outcome: string | undefined
  /** Read, and not shown yet. */
  readonly ahead: readonly AccessEntry[]
  readonly cursor: string | undefined
  readonly isAtEnd: boolean
}

export const entries = held<readonly AccessEntry[] | undefined>(undefined, ['accessLog'])
export const logFailure = signal<unknown>(undefined)
const sources = signal<readonly Source[]>([])
export const hasMore = computed(() =>
  sources.value.some(({ ahead, isAtEnd }) => ahead.length > 0 || !isAtEnd),
)

const pageSize = 100
type Query = NonNullable<CapabilityInput<'access:log'>>

const query = computed((): Query => {
  const agent = chipOf('agent')
  return {
    limit: pageSize,
    ...(agent === undefined ? {} : { agent }),
    ...(chipOf('where') === 'mirror' ? { where: 'mirror' as const } : {}),
  }
})
const outcomes = computed((): readonly (string | undefined)[] => {
  const chosen = chipOf('outcome')
  return chosen === 'denied' ? deniedCodes : [chosen]
})

/** The source with a page ahead, unless it has some already or is at its end. */
async function filled(source: Source): Promise<Source> {
  if (source.ahead.length > 0 || source.isAtEnd) return source
  const { outcome, cursor } = source
  const found = await (
    await openedBook()
  ).access.log({
    ...query.peek(),
    ...(outcome === undefined ? {} : { outcome }),
    ...(cursor === undefined ? {} : { cursor }),
  })
  return { outcome, ahead: found.entries, cursor: found.cursor, isAtEnd: found.cursor === undefined }
}

/** As many of the newest as are known for certain: nothing older than what a source may still have. */
function merged(all: readonly Source[]): { taken: AccessEntry[]; rest: Source[] } {
  const open = all.filter(({ isAtEnd }) => !isAtEnd)
  const from = Math.max(0, ...open.map(({ ahead }) => ahead.at(-1)?.n ?? 0))
  const taken = all.flatMap(({ ahead }) => ahead.filter(({ n }) => n >= from))
  const rest = all.map((one) => ({ ...one, ahead: one.ahead.filter(({ n }) => n < from) }))
  return { taken: taken.toSorted((a, b) => b.n - a.n), rest }
}

let asked = 0
async function more(before: readonly AccessEntry[], from: readonly Source[]): Promise<void> {
  asked += 1
  const mine = asked
  try {
    const { taken, rest } = merged(await Promise.all(from.map(filled)))
    if (mine !== asked) return
    entries.value = [...before, ...taken]
    sources.value = rest
    logFailure.value = undefined
  } catch (error) {
    if (mine === asked) logFailure.value = error
  }
}

export async function loadLog(): Promise<void> {
  const from = outcomes
    .peek()
    .map((outcome) => ({ outcome, ahead: [], cursor: undefined, isAtEnd: false }) satisfies Source)
  await more([], from)
}

export async function loadOlder(): Promise<void> {
  await more(entries.peek() ?? [], sources.peek())
}

effect(() => {
  void query.value
  void outcomes.value
  if (address.value.view === 'accessLog' && book.value) void loadLog()
})
