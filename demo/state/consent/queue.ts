// Entries that wait for a decision: proposals of every agent, and memories from another book. Oldest first, so new ones never
// move the open one.
import { createReader } from '../reading.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook } from '../../../src/index.ts'
import type { Hidden } from '../../wording/hidden-word.ts'
import { now } from '../../page/clock.ts'
import { address } from '../address.ts'
import { book, onBook } from '../book.ts'
import { held } from '../held.ts'
import { type WithSeen, withSeen } from '../record/secret.ts'

export type AccessRequest = CapabilityOutput<'consent:requests'>['requests'][number]

export interface Evidence {
  readonly type?: string
  readonly quote?: string
  readonly timestamp?: string
  readonly record?: string
}

export interface Waiting {
  readonly id: string
  readonly kind: 'proposal' | 'memory'
  readonly content: string
  readonly category: string
  readonly memory_type: 'episodic' | 'semantic' | 'procedural'
  readonly confidence: number
  readonly sensitivity: string
  readonly agent: string
  readonly proposedAt: string
  readonly expiresAt?: string
  readonly context?: string
  readonly priority?: string
  readonly scope: readonly string[]
  readonly tags: readonly string[]
  readonly evidence: readonly Evidence[]
  readonly supersedes: readonly string[]
  readonly similarTo: readonly string[]
  readonly hidden: readonly Hidden[]
}

export interface Decided extends Waiting {
  readonly status: string
  readonly resolvedAt: string
  readonly editedContent?: string
}

export const waiting = held<readonly WithSeen<Waiting>[] | undefined>(undefined)
export const queueFailure = signal<unknown>(undefined)
export const requests = held<readonly AccessRequest[]>([])
/** Locked proposals and memories. */
export const sealedCount = signal(0)

/** A review can be undone for this long. */
const reopenMs = 600_000
const reviewed = held<readonly WithSeen<Decided>[]>([])
export const decided = computed(() =>
  reviewed.value.filter(({ resolvedAt }) => Date.parse(resolvedAt) + reopenMs > now.value),
)
export const isOver = ({ expiresAt }: Waiting) =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now.value
export const waitingCount = computed(
  () => (waiting.value ?? []).filter((one) => !isOver(one)).length + requests.value.length,
)

type Fields = Readonly<Record<string, unknown>>
const texts = (value: unknown) => (Array.isArray(value) ? (value as string[]) : [])
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function optional(fields: Fields, names: readonly string[]): object {
  return Object.fromEntries(names.flatMap((name) => (text(fields[name]) ? [[name, fields[name]]] : [])))
}

export function asWaiting(fields: Fields): Waiting {
  return {
    ...optional(fields, ['expiresAt', 'context', 'priority']),
    id: String(fields['id']),
    kind: 'proposal',
    content: String(fields['content']),
    category: String(fields['category']),
    memory_type: fields['memory_type'] as Waiting['memory_type'],
    confidence: Number(fields['confidence']),
    sensitivity: text(fields['sensitivity']) ?? 'standard',
    agent: text(fields['agentName']) ?? String(fields['agentDid']),
    proposedAt: String(fields['proposedAt']),
    scope: texts(fields['scope']),
    tags: texts(fields['tags']),
    evidence: Array.isArray(fields['evidence']) ? (fields['evidence'] as Evidence[]) : [],
    supersedes: texts(fields['supersedes']),
    similarTo: texts(fields['similarTo']),
    hidden: Array.isArray(fields['hidden']) ? (fields['hidden'] as Hidden[]) : [],
  }
}

function asDecided(fields: Fields): Decided {
  const resolution = (fields['resolution'] ?? {}) as Fields
  return {
    ...asWaiting(fields),
    ...optional(resolution, ['editedContent']),
    status: String(fields['status']),
    resolvedAt: text(resolution['resolvedAt']) ?? '',
  }
}

function fromMemory(fields: CapabilityOutput<'a2p:query_memories'>['memories'][number]): Waiting {
  const { source } = fields
  const agent = text(source['agentName']) ?? text(source['agentDid']) ?? 'another book'
  return {
    ...asWaiting({ ...fields, ...source, agentName: agent, proposedAt: source['timestamp'] }),
    kind: 'memory',
  }
}

const mostListed = 1000

async function readWaiting(from: Daybook): Promise<WithSeen<Waiting>[]> {
  const [proposed, brought] = await Promise.all([
    from.proposals.list({ status: 'pending', limit: mostListed }),
    from.memories.query({ status: 'pending', limit: mostListed }),
  ])
  sealedCount.value = (proposed.sealed ?? 0) + (brought.sealed ?? 0)
  const all = [...proposed.proposals.map((one) => asWaiting(one)), ...brought.memories.map(fromMemory)]
  const masked = await withSeen(from, all)
  return masked.sort((a, b) => Date.parse(a.proposedAt) - Date.parse(b.proposedAt) || (a.id < b.id ? -1 : 1))
}

async function readDecided(from: Daybook): Promise<WithSeen<Decided>[]> {
  const states = ['approved', 'edited', 'rejected'] as const
  const pages = await Promise.all(states.map((status) => from.proposals.list({ status, limit: mostListed })))
  const all = pages
    .flatMap(({ proposals }) => proposals.map((one) => asDecided(one)))
    .filter(({ resolvedAt }) => Date.parse(resolvedAt) + reopenMs > Date.now())
  return (await withSeen(from, all)).sort((a, b) => Date.parse(b.resolvedAt) - Date.parse(a.resolvedAt))
}

const read = createReader(queueFailure)

export const loadQueue = (): Promise<void> =>
  read(
    (from) =>
      Promise.all([
        readWaiting(from),
        address.peek().view === 'approvals' ? readDecided(from) : [],
        from.consent.requests({ status: 'pending', limit: mostListed }),
      ]),
    ([all, done, access]) => {
      waiting.value = all
      reviewed.value = done
      requests.value = access.requests
    },
  )

effect(() => {
  waiting.value = undefined
  if (book.value) void loadQueue()
})
effect(() => {
  if (address.value.view === 'approvals') void loadQueue()
})
/** Moves a decided entry to the decisions before the queue is read again, so the next key acts on the new state. */
export function onDecided(
  one: WithSeen<Waiting>,
  result: CapabilityOutput<'a2p:review'>,
  content?: string,
): void {
  waiting.value = (waiting.peek() ?? []).filter(({ id }) => id !== one.id)
  const { status, reopenUntil: until } = result
  if (until === undefined) return
  const resolvedAt = new Date(Date.parse(until) - reopenMs).toISOString()
  const edited = status === 'edited' && content !== undefined ? { editedContent: content } : {}
  const rest = reviewed.peek().filter(({ id }) => id !== one.id)
  const { seen, ...waited } = one
  const decision = { ...waited, ...edited, status, resolvedAt }
  reviewed.value = [seen ? { ...decision, seen: { ...seen, status, resolvedAt } } : decision, ...rest]
}

/** Removes a decision whose proposal waits again. */
export function onReopened(id: string): void {
  reviewed.value = reviewed.peek().filter((one) => one.id !== id)
}

const kinds = new Set(['proposal', 'memory', 'access_request'])
onBook('change', (change) => {
  if (change.kinds.some((kind) => kinds.has(kind))) void loadQueue()
})
