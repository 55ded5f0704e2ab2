// The ways to the agents of other books that this page opens its book with. Default none: whoever only looks is no agent of the
// pool, and would make the majority larger.
import { signal } from '@preact/signals'

export interface PoolChoice {
  readonly tabs: boolean
  readonly edge: boolean
}
export type PoolWay = keyof PoolChoice

const place = 'daybook-inspector:pool'
const standard: PoolChoice = { tabs: false, edge: false }

function kept(): PoolChoice {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(place) ?? 'null')
    if (typeof found !== 'object' || found === null) return standard
    const { tabs, edge } = found as Partial<PoolChoice>
    return { tabs: tabs === true, edge: edge === true }
  } catch {
    return standard
  }
}

export const poolChoice = signal<PoolChoice>(kept())

export function keepPoolChoice(choice: PoolChoice): void {
  poolChoice.value = choice
  try {
    localStorage.setItem(place, JSON.stringify(choice))
  } catch {
    // Without site data the choice lasts as long as the page.
  }
}
