// The agents of the pool: which are listed, what this page announces of itself, and by which ways it is connected.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput } from '../../../src/index.ts'
import { tell } from '../../page/toast.ts'
import { address, chipOf } from '../address.ts'
import { book, openBook, openedBook } from '../book.ts'
import { loadPool, pool } from './pool.ts'
import { keepPoolChoice, poolChoice, type PoolWay } from '../pool-way.ts'

export type Able = CapabilityOutput<'pool:who_can'>['claws'][number]

/** Who can do what the address asks for, by their ids; undefined while nothing is asked. */
export const able = signal<ReadonlyMap<string, Able> | undefined>(undefined)
/** Why that could not be told. */
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

/** What this page has said that it can do; undefined before it has said anything. */
export const ownClaw = computed(() => {
  const { claws: all, you } = pool.value?.claws ?? { claws: [], you: '' }
  return all.find(({ claw }) => claw === you)
})

/** Tells the group. Answers why that was not done. */
export async function announceSelf(name: string, capabilities: readonly string[]): Promise<unknown> {
  try {
    const opened = await openedBook()
    const said = [...capabilities]
    await opened.pool.announce({ capabilities: said, ...(name === '' ? {} : { displayName: name }) })
    tell('Announced.')
    await loadPool()
    return undefined
  } catch (error) {
    return error
  }
}

/** Opens the book anew, with this way or without it. */
export async function setWay(way: PoolWay, isOn: boolean): Promise<void> {
  keepPoolChoice({ ...poolChoice.peek(), [way]: isOn })
  await openBook()
  tell(isOn ? 'Connected.' : 'Disconnected.')
}

let asked = 0
effect(() => {
  const capability = chipOf('can')
  const known = pool.value
  asked += 1
  const mine = asked
  if (address.value.view !== 'poolClaws' || !book.value || !known) return
  if (capability === undefined) {
    able.value = undefined
    askFailure.value = undefined
    return
  }
  book.value.pool.whoCan({ capability }).then(
    (found) => {
      if (mine !== asked) return
      able.value = new Map(found.claws.map((one) => [one.clawId, one]))
      askFailure.value = undefined
    },
    (error: unknown) => {
      if (mine === asked) askFailure.value = error
    },
  )
})
