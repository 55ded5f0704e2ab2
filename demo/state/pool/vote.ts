// Voting on the proposal that is read, in the name of this page's agent, and the keys for it.
// Invariant: one press is one vote; a vote stays until another one takes its place or the proposal is decided.
import { createRef } from 'preact'
import { effect, signal } from '@preact/signals'
import { tell, tellError } from '../../page/toast.ts'
import { type Side, voteOf } from '../../kind/pool/standing.ts'
import { address } from '../address.ts'
import { openedBook } from '../book.ts'
import { loadPool, pool } from './pool.ts'
import { cardHeading, current, loadProposals, step } from './proposals.ts'

export const reason = signal('')
export const isVoting = signal(false)
export const reasonBox = createRef<HTMLInputElement>()

const words = { yes: 'approve', no: 'reject' } as const
const otherSide = (side: Side): Side => (side === 'yes' ? 'no' : 'yes')

/** Votes on it, with the reason that was written. */
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
  else if (!counts) tell('Your vote is kept, but does not count: you proposed it.')
  else tell(`You voted to ${words[side]} it.`, isFinal ? undefined : act)
}

/** A key of this view; false when it means nothing here. */
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
