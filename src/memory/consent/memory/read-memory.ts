// Memories as they are listed: by type, category, status and scope, and what is told of each.
// Invariant: a guest is shown approved ones alone, however it asks; what its scope or a policy denies, the port leaves out.
import type { ReadContext } from '../../../core/capability/context.ts'
import type { RecordPage } from '../../../core/capability/port/record-port.ts'
import { scopeMatcher } from './category.ts'
import type { Memory, MemoryStatus } from './memory-schema.ts'
import { isTellable, type ToldMemory, tellMemory, type Use } from './memory-shape.ts'
import type { MemoryType } from './category.ts'

type At = ReadContext<'records'>

/** Category or what lies below it, as a condition over the hot column. */
export function categoryFilter(category: string): object {
  // What follows `.` and `:` in the order of characters.
  const below = [
    ['.', '/'],
    [':', ';'],
  ].map(([from, to]) => ({ category: { gte: `${category}${from}`, lt: `${category}${to}` } }))
  return { or: [{ category }, ...below] }
}

export interface MemoryQuery {
  readonly filters?: unknown
  readonly category?: string | undefined
  readonly memory_type?: MemoryType | undefined
  readonly status?: MemoryStatus | undefined
  readonly sensitivity?: string | undefined
  readonly flagged?: true | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page of memories, newest first. */
export function listMemories(at: At, query: MemoryQuery): { page: RecordPage; told: ToldMemory[] } {
  const { filters, category, memory_type, status, sensitivity, flagged, limit, cursor } = query
  const isGuest = at.call.caller.role === 'guest'
  // `expired` is told by the clock, of what is approved.
  const stands = isGuest ? 'approved' : status === 'expired' ? 'approved' : (status ?? 'approved')
  const asked = [
    { status: stands },
    ...(category === undefined ? [] : [categoryFilter(category)]),
    ...(memory_type === undefined ? [] : [{ memory_type }]),
    ...(sensitivity === undefined
      ? []
      : [
          sensitivity === 'standard'
            ? { or: [{ sensitivity }, { sensitivity: { exists: false } }] }
            : { sensitivity },
        ]),
    ...(filters === undefined ? [] : [filters]),
  ]
  const page = at.records.query({ kind: 'memory', filters: { and: asked }, limit, cursor })
  const told = tellAll(at, page.records as unknown as Memory[])
  const kept = told.filter(
    (one) => (status !== 'expired' || one.status === 'expired') && (!flagged || one.flagged),
  )
  return { page, told: kept }
}

/** What is told of each, with this device's own counters. */
export function tellAll(at: At, memories: readonly Memory[]): ToldMemory[] {
  const uses: ReadonlyMap<string, Use> = at.records.uses('memory')
  return memories.filter(isTellable).map((memory) => tellMemory(memory, uses.get(memory.id), at.call.now))
}

/** The approved memories within any of `scopes`, or all of them: newest first, each once. */
export function approvedMemories(
  at: At,
  scopes: readonly string[] | undefined,
): { readonly told: ToldMemory[]; readonly sealed: number } {
  const filters = { and: [{ status: 'approved' }, ...(scopes ? [scopesFilter(scopes)] : [])] }
  const { records, sealed = 0 } = at.records.query({ kind: 'memory', filters, limit: profileLimit })
  const found = (records as readonly object[]).filter(isTellable)
  const matchers = scopes?.map(scopeMatcher)
  const within = matchers ? found.filter((one) => matchers.some((isWithin) => isWithin(one))) : found
  return { told: tellAll(at, within), sealed }
}

/** More memories than a person's profile has; a document of more would be of no use to a prompt. */
export const profileLimit = 20_000

/** All that begins so, and goes on with anything up to a colon: one range of the index, which takes in what lies below. */
const beginsWith = (category: string): object => ({ category: { gte: category, lt: `${category};` } })

/** What can be said of scopes over hot columns: it lets through all that is within them, and perhaps more. */
function scopesFilter(scopes: readonly string[]): object {
  const each = scopes.map((scope): object => {
    const stem = scope.replace(/[.:]?\*{1,2}$/, '')
    if (stem === '' || stem === 'a2p') return { status: 'approved' }
    const [, type, rest] = /^a2p:(episodic|semantic|procedural)(?:\.(.+))?$/.exec(stem) ?? []
    if (type === undefined) return beginsWith(stem)
    const typed =
      rest === undefined ? { memory_type: type } : { and: [{ memory_type: type }, beginsWith(`a2p:${rest}`)] }
    return { or: [typed, beginsWith(stem)] }
  })
  return { or: each }
}
