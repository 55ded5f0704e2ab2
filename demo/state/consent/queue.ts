// What waits for a decision: proposals of every agent, and memories that came from another book. Oldest first, so that what
// comes later never moves what is being read.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook } from '../../../src/index.ts'
import type { Hidden } from '../../wording/hidden-word.ts'
import { now } from '../../page/clock.ts'
import { address } from '../address.ts'
import { book, onBook } from '../book.ts'
import { held } from '../held.ts'

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

export const waiting = held<readonly Waiting[] | undefined>(undefined)
export const queueFailure = signal<unknown>(undefined)
export const requests = held<readonly AccessRequest[]>([])
/** Proposals and memories that cannot be read before the keys of the book are open. */
export const sealedCount = signal(0)

/** How long a review can be taken back. */
const reopenMs = 600_000
const reviewed = held<readonly Decided[]>([])
export const decided = computed(() =>
  reviewed.value.filter(({ resolvedAt }) => Date.parse(resolvedAt) + reopenMs > now.value),
)
export const isOver = ({ expiresAt }: Waiting) =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now.value
export const waitingCount = computed(
  () => (waiting.value ?? []).filter((one) => !isOver(one)).length + requests.value.length,
)

type Told = Readonly<Record<string, unknown>>
const texts = (value: unknown) => (Array.isArray(value) ? (value as string[]) : [])
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

function optional(told: Told, names: readonly string[]): object {
  return Object.fromEntries(names.flatMap((name) => (text(told[name]) ? [[name, told[name]]] : [])))
}

export function asWaiting(told: Told): Waiting {
  return {
    ...optional(told, ['expiresAt', 'context', 'priority']),
    id: String(told['id']),
    kind: 'proposal',
    content: String(told['content']),
    category: String(told['category']),
    memory_type: told['memory_type'] as Waiting['memory_type'],
    confidence: Number(told['confidence']),
    sensitivity: text(told['sensitivity']) ?? 'standard',
    agent: text(told['agentName']) ?? String(told['agentDid']),
    proposedAt: String(told['proposedAt']),
    scope: texts(told['scope']),
    tags: texts(told['tags']),
    evidence: Array.isArray(told['evidence']) ? (told['evidence'] as Evidence[]) : [],
    supersedes: texts(told['supersedes']),
    similarTo: texts(told['similarTo']),
    hidden: Array.isArray(told['hidden']) ? (told['hidden'] as Hidden[]) : [],
  }
}

function asDecided(told: Told): Decided {
  const resolution = (told['resolution'] ?? {}) as Told
  return {
    ...asWaiting(told),
    ...optional(resolution, ['editedContent']),
    status: String(told['status']),
    resolvedAt: text(resolution['resolvedAt']) ?? '',
  }
}

function fromMemory(told: CapabilityOutput<'a2p:query_memories'>['memories'][number]): Waiting {
  const { source } = told
  const agent = text(source['agentName']) ?? text(source['agentDid']) ?? 'another book'
  return {
    ...asWaiting({ ...told, ...source, agentName: agent, proposedAt: source['timestamp'] }),
    kind: 'memory',
  }
}

const mostListed = 1000

async function readWaiting(from: Daybook): Promise<Waiting[]> {
  const [proposed, brought] = await Promise.all([
    from.proposals.list({ status: 'pending', limit: mostListed }),
    from.memories.query({ status: 'pending', limit: mostListed }),
  ])
  sealedCount.value = (proposed.sealed ?? 0) + (brought.sealed ?? 0)
  const all = [...proposed.proposals.map((one) => asWaiting(one)), ...brought.memories.map(fromMemory)]
  return all.sort((a, b) => Date.parse(a.proposedAt) - Date.parse(b.proposedAt) || (a.id < b.id ? -1 : 1))
}

async function readDecided(from: Daybook): Promise<Decided[]> {
  const states = ['approved', 'edited', 'rejected'] as const
  const pages = await Promise.all(states.map((status) => from.proposals.list({ status, limit: mostListed })))
  return pages
    .flatMap(({ proposals }) => proposals.map((one) => asDecided(one)))
    .filter(({ resolvedAt }) => Date.parse(resolvedAt) + reopenMs > Date.now())
    .sort((a, b) => Date.parse(b.resolvedAt) - Date.parse(a.resolvedAt))
}

/** Reads the queue anew. An answer of an earlier question never takes the place of a later one's. */
let asked = 0
export async function loadQueue(): Promise<void> {
  const from = book.peek()
  if (!from) return
  asked += 1
  const mine = asked
  try {
    const [all, done, access] = await Promise.all([
      readWaiting(from),
      address.peek().view === 'approvals' ? readDecided(from) : [],
      from.consent.requests({ status: 'pending', limit: mostListed }),
    ])
    if (book.peek() !== from || mine !== asked) return
    waiting.value = all
    reviewed.value = done
    requests.value = access.requests
    queueFailure.value = undefined
  } catch (error) {
    if (book.peek() === from && mine === asked) queueFailure.value = error
  }
}

effect(() => {
  waiting.value = undefined
  if (book.value) void loadQueue()
})
effect(() => {
  if (address.value.view === 'approvals') void loadQueue()
})
/** Moves what was just decided to the decisions, before the queue is read anew: whoever presses the next key means what is so now. */
export function onDecided(one: Waiting, result: CapabilityOutput<'a2p:review'>, content?: string): void {
  waiting.value = (waiting.peek() ?? []).filter(({ id }) => id !== one.id)
  const { status, reopenUntil: until } = result
  if (until === undefined) return
  const resolvedAt = new Date(Date.parse(until) - reopenMs).toISOString()
  const edited = status === 'edited' && content !== undefined ? { editedContent: content } : {}
  const rest = reviewed.peek().filter(({ id }) => id !== one.id)
  reviewed.value = [{ ...one, ...edited, status, resolvedAt }, ...rest]
}

/** What waits again is no longer a decision. */
export function onReopened(id: string): void {
  reviewed.value = reviewed.peek().filter((one) => one.id !== id)
}

const kinds = new Set(['proposal', 'memory', 'access_request'])
onBook('change', (change) => {
  if (change.kinds.some((kind) => kinds.has(kind))) void loadQueue()
})
