// The pool as this page follows it: who is there, by which rules it votes, and what waits for a vote of this page.
// Invariant: an answer to an earlier question never takes the place of a later one's.
import { computed, effect, signal } from '@preact/signals'
import { now } from '../../page/clock.ts'
import type { Claws, Config, Proposal } from '../../kind/pool/pool-record.ts'
import { wantsVote } from '../../kind/pool/standing.ts'
import type { View } from '../../kind/view.ts'
import { address } from '../address.ts'
import { book, onBook } from '../book.ts'

export interface Pool {
  readonly claws: Claws
  readonly config: Config
  /** Proposals that may be voted on, as many as one page of them holds. */
  readonly open: readonly Proposal[]
}

export const pool = signal<Pool | undefined>(undefined)
export const poolFailure = signal<unknown>(undefined)

const openListed = 200

/** Open proposals on which this page could still vote. */
export const wantedVotes = computed(() => {
  const known = pool.value
  if (!known) return []
  const { claws, config, open } = known
  return open.filter((one) => wantsVote(one, claws.you, config.selfVote))
})

let asked = 0
export async function loadPool(): Promise<void> {
  const from = book.peek()
  if (!from) return
  asked += 1
  const mine = asked
  try {
    const [claws, { proposals: open }] = await Promise.all([
      from.pool.claws(),
      from.pool.listProposals({ state: 'open', limit: openListed }),
    ])
    if (book.peek() !== from || mine !== asked) return
    // Undefined for guests, whom the page has none of.
    const { config } = claws
    pool.value = config && { claws, config, open }
    poolFailure.value = undefined
  } catch (error) {
    if (book.peek() === from && mine === asked) poolFailure.value = error
  }
}

const poolViews: ReadonlySet<View> = new Set(['pool', 'poolFacts', 'poolClaws', 'poolAudit'])
const isShown = computed(() => poolViews.has(address.value.view))

/** An agent that falls silent says nothing, so who is there is asked again from time to time. */
const askAgainMs = 15_000
const turn = computed(() => (isShown.value ? Math.floor(now.value / askAgainMs) : 0))

effect(() => {
  pool.value = undefined
  if (book.value) void loadPool()
})
effect(() => {
  if (turn.value > 0) void loadPool()
})
onBook('pool', () => void loadPool())
onBook('change', ({ kinds }) => {
  if (kinds.some((kind) => kind.startsWith('pool_'))) void loadPool()
})
