// The pool for this page: its agents, its rules, proposals without a vote of this page, admission, and connections.
// Invariants: a late answer never replaces a newer one; an agent is admitted under the key that the reader saw.
import { createReader, defined } from '../reading.ts'
import { tell, undo } from '../../page/toast.ts'
import { attempt, book, onBook, openBook, openedBook } from '../book.ts'
import { computed, effect, signal } from '@preact/signals'
import { now } from '../../page/clock.ts'
import type { Claws, Config, Proposal } from '../../kind/pool/pool-record.ts'
import { wantsVote } from '../../kind/pool/standing.ts'
import type { View } from '../../kind/view.ts'
import { address, chipOf } from '../address.ts'
import type { CapabilityOutput } from '../../../src/index.ts'
import { poolChoice, type PoolWay } from '../setting.ts'
import { createRef } from 'preact'
import { closeDialog, openDialog } from '../dialog.ts'

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
  if (!pool.value) return []
  const { claws, config, open } = pool.value
  return open.filter((one) => wantsVote(one, claws.you, config.selfVote))
})

const read = createReader(poolFailure)

export const loadPool = (): Promise<void> =>
  read(
    (from) => Promise.all([from.pool.claws(), from.pool.listProposals({ state: 'open', limit: openListed })]),
    ([claws, { proposals: open }]) => {
      // Guests get no config; this page has none.
      const { config } = claws
      pool.value = config && { claws, config, open }
    },
  )

const poolViews: ReadonlySet<View> = new Set(['pool', 'poolFacts', 'poolClaws', 'poolAudit'])
const isShown = computed(() => poolViews.has(address.value.view))

/** A silent agent sends nothing, so the page reads the agents again from time to time. */
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

type Able = CapabilityOutput<'pool:who_can'>['claws'][number]

/** Agents with the capability of the address, by id; undefined without one. */
export const able = signal<ReadonlyMap<string, Able> | undefined>(undefined)
/** The error of that question. */
export const askFailure = signal<unknown>(undefined)

export const claws = computed(() => {
  const all = pool.value?.claws.claws ?? []
  const state = chipOf('state')
  const found = able.value
  return all
    .filter((one) => (state === undefined || one.state === state) && (!found || found.has(one.claw)))
    .toSorted((a, b) => rank(a) - rank(b) || (a.claw.toLowerCase() < b.claw.toLowerCase() ? -1 : 1))
})
const rank = ({ state }: { state: string }) => (state === 'active' ? 0 : 1)

/** This page’s agent; undefined before it announced itself. */
export const ownClaw = computed(() => {
  const { claws: all, you } = pool.value?.claws ?? { claws: [], you: '' }
  return all.find(({ claw }) => claw === you)
})

/** Announces this page's agent to the group. */
export async function announceSelf(name: string, capabilities: readonly string[]): Promise<void> {
  const opened = await openedBook()
  await opened.pool.announce({
    capabilities: [...capabilities],
    ...(name === '' ? {} : { displayName: name }),
  })
  tell('Announced.')
  await loadPool()
}

/** Opens the book again, with or without this connection. */
export async function setWay(way: PoolWay, isOn: boolean): Promise<void> {
  poolChoice.value = { ...poolChoice.peek(), [way]: isOn }
  await openBook()
  tell(isOn ? 'Connected.' : 'Disconnected.')
}

const readAble = createReader(askFailure)

effect(() => {
  const capability = chipOf('can')
  if (address.value.view !== 'poolClaws' || !book.value || !pool.value) return
  void readAble(
    async (from) => (capability === undefined ? undefined : from.pool.whoCan({ capability })),
    (found) => {
      able.value = found && new Map(found.claws.map((one) => [one.clawId, one]))
    },
  )
})

/** An agent as the reader sees it. */
interface Applicant {
  readonly claw: string
  readonly name: string
  /** Undefined where agents of the group need not sign. */
  readonly key: string | undefined
}

/** The agent that the open dialog would admit. */
export const admitQuestion = signal<Applicant | undefined>(undefined)
/** Gets focus after an answer: the row that had it is gone, or has another button. */
export const agentsHeading = createRef<HTMLHeadingElement>()

export function askAdmit(applicant: Applicant): void {
  admitQuestion.value = applicant
  openDialog.value = 'admit'
}

export async function confirmAdmit(): Promise<void> {
  const applicant = admitQuestion.peek()
  closeDialog()
  if (applicant) await admit(applicant)
}

async function admit(agent: Applicant): Promise<void> {
  const { claw, name, key } = agent
  await attempt(`${name} was not admitted.`, async (from) => {
    await from.pool.admit({ claw, ...defined({ key }) })
    await loadPool()
    agentsHeading.current?.focus()
    tell(`Admitted ${name}. Its votes and decisions count from now on.`, {
      word: 'Let it go',
      run: () => void letGo(agent),
    })
  })
}

/** Can be undone at once, because the key was compared before. */
export async function letGo(agent: Applicant): Promise<void> {
  const { claw, name } = agent
  await attempt(`${name} still counts.`, async (from) => {
    await from.pool.letGo({ claw })
    await loadPool()
    agentsHeading.current?.focus()
    tell(
      `Let ${name} go. Its votes and decisions no longer count.`,
      undo(() => admit(agent)),
    )
  })
}
