// Proposals of the pool by outcome, the open one, and the vote of this page’s agent on it, with its keys.
// Invariants: the open proposal stays until the reader moves on; one press is one vote, which counts until another one
// replaces it or the proposal is decided.
import type { Daybook } from '../../../src/index.ts'
import { createReader, defined } from '../reading.ts'
import { createRef } from 'preact'
import { computed, effect, signal } from '@preact/signals'
import type { Proposal } from '../../kind/pool/pool-record.ts'
import { address, chipOf, go } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { held } from '../held.ts'
import { tell, tellError } from '../../page/toast.ts'
import { type Side, voteOf } from '../../kind/pool/standing.ts'
import { loadPool, pool } from './pool.ts'

interface Listed {
  readonly state: Proposal['state']
  readonly proposals: readonly Proposal[]
  readonly cursor: string | undefined
}

export const listed = held<Listed | undefined>(undefined)
export const proposalsFailure = signal<unknown>(undefined)
const lastShown = held<Proposal | undefined>(undefined)

/** The address names a proposal by its record or by the id that agents have for it. */
const isNamed = ({ proposal, record }: Proposal, id: string | undefined) => id === record || id === proposal

export const current = computed(() => {
  const { id } = address.value
  const found = listed.value?.proposals.find((one) => isNamed(one, id))
  return found ?? (lastShown.value && isNamed(lastShown.value, id) ? lastShown.value : undefined)
})
export const position = computed(
  () => listed.value?.proposals.findIndex((one) => isNamed(one, address.value.id)) ?? -1,
)
/** The address names a proposal that is not in this book. */
export const isMissing = signal(false)

const wanted = computed(() => (chipOf('outcome') ?? 'open') as Proposal['state'])
const pageSize = 50
/** After this many pages without the wanted state, the reader asks for more. */
const emptyPages = 20

async function readPages(
  { pool: of }: Daybook,
  before: readonly Proposal[],
  start?: string,
): Promise<Listed> {
  const state = wanted.peek()
  const found = [...before]
  let cursor = start
  for (let pages = 0; pages < emptyPages; pages += 1) {
    const page = await of.listProposals({ state, limit: pageSize, ...defined({ cursor }) })
    found.push(...page.proposals)
    cursor = page.cursor
    if (cursor === undefined || found.length >= before.length + pageSize / 2) break
  }
  return { state, proposals: found, cursor }
}

/** The proposal of a record: itself, a vote, or a decision. */
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
  lastShown.value = found
  // The address named a vote or a decision on it.
  if (!isNamed(found, id)) go({ id: found.proposal }, 'replace')
}

const read = createReader(proposalsFailure)

function show(found: Listed): void {
  listed.value = found
  keepShown().catch((error: unknown) => (proposalsFailure.value = error))
}

/** Reads the proposals again from the newest. */
export const loadProposals = (): Promise<void> => read((from) => readPages(from, []), show)

export async function loadOlder(): Promise<void> {
  const before = listed.peek()
  if (before?.cursor !== undefined)
    await read((from) => readPages(from, before.proposals, before.cursor), show)
}

export const cardHeading = createRef<HTMLHeadingElement>()
let isFocusWanted = false
/** The view calls it after drawing another proposal. */
export function onCardDrawn(): void {
  if (isFocusWanted) cardHeading.current?.focus()
  isFocusWanted = false
}

export function openProposal(id: string, how: 'push' | 'replace' = 'push'): void {
  isFocusWanted = true
  go({ id }, how)
}

function step(by: number): void {
  const all = listed.peek()?.proposals ?? []
  const next = all[Math.min(Math.max(position.peek() + by, 0), all.length - 1)]
  if (next && next !== current.peek()) openProposal(next.proposal, 'replace')
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

export const reason = signal('')
export const isVoting = signal(false)
export const reasonBox = createRef<HTMLInputElement>()

const words = { yes: 'approve', no: 'reject' } as const
const otherSide = (side: Side): Side => (side === 'yes' ? 'no' : 'yes')

/** Votes on the open proposal, with the written reason. */
export async function cast(side: Side): Promise<void> {
  const one = current.peek()
  if (one) await voteOn(one.proposal, side, reason.peek().trim())
}

async function voteOn(proposal: string, side: Side, why: string): Promise<void> {
  if (isVoting.peek()) return
  isVoting.value = true
  try {
    const { pool: votes } = await openedBook()
    const { changed, counts } = await votes.vote({
      proposal,
      vote: side,
      ...(why === '' ? {} : { reason: why }),
    })
    reason.value = ''
    say(proposal, side, { changed, counts })
    await Promise.all([loadProposals(), loadPool()])
  } catch (error) {
    tellError('Your vote was not cast.', error)
    void loadProposals()
  } finally {
    isVoting.value = false
  }
}

function say(proposal: string, side: Side, { changed, counts }: { changed: boolean; counts: boolean }): void {
  const other = otherSide(side)
  const isFinal = pool.peek()?.config.compatibility === true
  const act = { word: `Vote to ${words[other]} instead`, run: () => void voteOn(proposal, other, '') }
  if (!changed) tell(`You had already voted to ${words[side]} it.`)
  else if (!counts) tell('Your vote is lastShown, but does not count: you proposed it.')
  else tell(`You voted to ${words[side]} it.`, isFinal ? undefined : act)
}

/** Handles a key of this view; false for another key. */
export function voteByKey(key: string): boolean {
  if (address.peek().view !== 'pool') return false
  const one = current.peek()
  const isOpen = one?.state === 'open'
  if (key === 'j' || key === 'ArrowDown') step(1)
  else if (key === 'k' || key === 'ArrowUp') step(-1)
  else if (key === 'a' && isOpen) void cast('yes')
  else if (key === 'r' && isOpen) void cast('no')
  else if (key === 'e' && isOpen) reasonBox.current?.focus()
  else return key === 'Escape'
  return true
}

/** Back from the reason to the proposal, where the keys work again. */
export function leaveReason(): void {
  cardHeading.current?.focus()
}

/** The vote that this page has cast on it. */
export function ownVote(): ReturnType<typeof voteOf> {
  const one = current.value
  const you = pool.value?.claws.you
  return one && you !== undefined ? voteOf(one, you) : undefined
}

let drawn: string | undefined
effect(() => {
  const { view, id } = address.value
  if (view !== 'pool' || drawn === id) return
  drawn = id
  reason.value = ''
})
