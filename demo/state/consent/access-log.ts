// The access log, newest first, narrowed by agent and outcome as the address says. A denial has several codes, so that list
// merges one source per code. Invariant: entries come in the order of their numbers, none twice.
import { createReader, defined } from '../reading.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../../src/index.ts'
import { address, chipOf } from '../address.ts'
import { book } from '../book.ts'
import { held } from '../held.ts'

export type AccessEntry = CapabilityOutput<'access:log'>['entries'][number]

/** Outcomes of calls without the right to make them. */
export const deniedCodes = ['forbidden', 'unauthorized', 'consent-required', 'rate-limited'] as const

interface Source {
  readonly outcome: string | undefined
  /** Entries that are loaded but not on show. */
  readonly unread: readonly AccessEntry[]
  readonly cursor: string | undefined
  readonly isAtEnd: boolean
}

export const entries = held<readonly AccessEntry[] | undefined>(undefined, ['accessLog'])
export const logFailure = signal<unknown>(undefined)
const sources = signal<readonly Source[]>([])
export const hasMore = computed(() =>
  sources.value.some(({ unread, isAtEnd }) => unread.length > 0 || !isAtEnd),
)

const pageSize = 100
type Query = NonNullable<CapabilityInput<'access:log'>>

const query = computed((): Query => ({
  limit: pageSize,
  ...defined({ agent: chipOf('agent') }),
  ...(chipOf('where') === 'mirror' ? { where: 'mirror' as const } : {}),
}))
const outcomes = computed((): readonly (string | undefined)[] => {
  const chosen = chipOf('outcome')
  return chosen === 'denied' ? deniedCodes : [chosen]
})

/** The source with unread entries, unless it has some already or is at its end. */
async function filled(from: Daybook, source: Source): Promise<Source> {
  if (source.unread.length > 0 || source.isAtEnd) return source
  const { outcome, cursor } = source
  const found = await from.access.log({ ...query.peek(), ...defined({ outcome, cursor }) })
  return { outcome, unread: found.entries, cursor: found.cursor, isAtEnd: found.cursor === undefined }
}

/** The newest entries that are certain: none older than the next entry of any source. */
function merged(all: readonly Source[]): { taken: AccessEntry[]; rest: Source[] } {
  const open = all.filter(({ isAtEnd }) => !isAtEnd)
  const from = Math.max(0, ...open.map(({ unread }) => unread.at(-1)?.n ?? 0))
  const taken = all.flatMap(({ unread }) => unread.filter(({ n }) => n >= from))
  const rest = all.map((one) => ({ ...one, unread: one.unread.filter(({ n }) => n < from) }))
  return { taken: taken.toSorted((a, b) => b.n - a.n), rest }
}

const read = createReader(logFailure)

const more = (before: readonly AccessEntry[], all: readonly Source[]): Promise<void> =>
  read(
    async (from) => merged(await Promise.all(all.map((source) => filled(from, source)))),
    ({ taken, rest }) => {
      entries.value = [...before, ...taken]
      sources.value = rest
    },
  )

export async function loadLog(): Promise<void> {
  const from = outcomes
    .peek()
    .map((outcome) => ({ outcome, unread: [], cursor: undefined, isAtEnd: false }) satisfies Source)
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
