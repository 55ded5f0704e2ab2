// The proposals of the pool by what became of them, and the one that is read.
// Invariant: what is read stays until the reader goes on, whatever becomes of it meanwhile.
import { createRef } from 'preact'
import { computed, effect, signal } from '@preact/signals'
import type { Proposal } from '../../kind/pool/pool-record.ts'
import { address, chipOf, go } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { held } from '../held.ts'

interface Listed {
  readonly state: Proposal['state']
  readonly proposals: readonly Proposal[]
  readonly cursor: string | undefined
}

export const listed = held<Listed | undefined>(undefined)
export const proposalsFailure = signal<unknown>(undefined)
const kept = held<Proposal | undefined>(undefined)

/** The address names a proposal by its record or by the id that agents have for it. */
const isNamed = ({ proposal, record }: Proposal, id: string | undefined) => id === record || id === proposal

export const current = computed(() => {
  const { id } = address.value
  const found = listed.value?.proposals.find((one) => isNamed(one, id))
  return found ?? (kept.value && isNamed(kept.value, id) ? kept.value : undefined)
})
export const position = computed(
  () => listed.value?.proposals.findIndex((one) => isNamed(one, address.value.id)) ?? -1,
)
/** The address names a proposal that is not in this book. */
export const isMissing = signal(false)

const wanted = computed(() => (chipOf('outcome') ?? 'open') as Proposal['state'])
const pageSize = 50
/** Pages in a row that hold none of the wanted state: then the reader asks for more. */
const emptyPages = 20

async function read(before: readonly Proposal[], from: string | undefined): Promise<Listed> {
  const state = wanted.peek()
  const { pool } = await openedBook()
  const found = [...before]
  let cursor = from
  for (let pages = 0; pages < emptyPages; pages += 1) {
    const page = await pool.listProposals({
      state,
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    })
    found.push(...page.proposals)
    cursor = page.cursor
    if (cursor === undefined || found.length >= before.length + pageSize / 2) break
  }
  return { state, proposals: found, cursor }
}

/** The proposal that an id of any record around it leads to. */
async function find(id: string): Promise<Proposal | undefined> {
  const { pool, records } = await openedBook()
  const named = async (proposal: string) => (await pool.listProposals({ proposal, limit: 1 })).proposals[0]
  const record = (await records.get({ id })) as Readonly<Record<string, unknown>> | null
  if (!record) return named(id)
  const of = String(record['proposal'])
  if (record['kind'] === 'pool_proposal') return named(of)
  const around = (await records.get({ id: of })) as Readonly<Record<string, unknown>> | null
  return around ? named(String(around['proposal'])) : undefined
}

async function keepShown(): Promise<void> {
  const { id, view } = address.peek()
  if (view !== 'pool') return
  const all = listed.peek()?.proposals ?? []
  const there = all.find((one) => isNamed(one, id))
  if (id === undefined) {
    const [first] = all
    if (first) go({ id: first.proposal }, 'replace')
    return
  }
  const found = there ?? (await find(id))
  if (address.peek().id !== id) return
  isMissing.value = !found
  if (!found) return
  kept.value = found
  // A vote or a decision on it was what the address named.
  if (!isNamed(found, id)) go({ id: found.proposal }, 'replace')
}

let asked = 0
async function take(ask: () => Promise<Listed>): Promise<void> {
  asked += 1
  const mine = asked
  try {
    const found = await ask()
    if (mine !== asked) return
    listed.value = found
    proposalsFailure.value = undefined
    await keepShown()
  } catch (error) {
    if (mine === asked) proposalsFailure.value = error
  }
}

/** Reads as many as are on show, and what is new to them. */
export async function loadProposals(): Promise<void> {
  await take(() => read([], undefined))
}

export async function loadOlder(): Promise<void> {
  const before = listed.peek()
  if (before?.cursor !== undefined) await take(() => read(before.proposals, before.cursor))
}

export const cardHeading = createRef<HTMLHeadingElement>()
let isFocusWanted = false
/** Told by the view when it has drawn another one. */
export function onCardDrawn(): void {
  if (isFocusWanted) cardHeading.current?.focus()
  isFocusWanted = false
}

export function show(id: string, how: 'push' | 'replace' = 'push'): void {
  isFocusWanted = true
  go({ id }, how)
}

export function step(by: number): void {
  const all = listed.peek()?.proposals ?? []
  const next = all[Math.min(Math.max(position.peek() + by, 0), all.length - 1)]
  if (next && next !== current.peek()) show(next.proposal, 'replace')
}

effect(() => {
  void wanted.value
  if (address.value.view === 'pool' && book.value) void loadProposals()
})
onBook('pool', ({ type }) => {
  if (address.peek().view === 'pool' && type !== 'claw') void loadProposals()
})
onBook('change', ({ kinds }) => {
  if (address.peek().view === 'pool' && kinds.some((kind) => kind.startsWith('pool_'))) void loadProposals()
})
