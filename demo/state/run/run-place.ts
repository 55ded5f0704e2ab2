// The open run in the address.
import { computed } from '@preact/signals'
import { address, chipOf, go, narrow } from '../address.ts'

export const openSession = computed(() => (address.value.view === 'runs' ? chipOf('run') : undefined))

/** The run that the open one is compared with. */
export const comparedSession = computed(() => (openSession.value === undefined ? undefined : chipOf('with')))

/** Compares the open run with another one; undefined ends that. */
export function compareRun(session: string | undefined): void {
  narrow({ with: session ?? '', only: '', tool: '' })
}

/** Fields of one run; the others are of the list. */
const ofRun = new Set(['run', 'with', 'only', 'tool'])

const listChips = () => {
  const { view, chips } = address.peek()
  return view === 'runs' ? chips.filter(({ field }) => !ofRun.has(field)) : []
}

/** Opens a run, and a step of it if one is named. */
export function openRun(session: string, id?: string): void {
  go({ view: 'runs', search: '', chips: [...listChips(), { field: 'run', value: session }], id })
}

/** Back to the list of runs. */
export function closeRun(): void {
  go({ search: '', chips: listChips(), id: undefined })
}
