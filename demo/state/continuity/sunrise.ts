// The sunrise of the persona that is read. Invariant: it is read in the book's own name, so that the persona is nowhere for it.
import { computed, effect, signal } from '@preact/signals'
import { address } from '../address.ts'
import { onBook, openedBook } from '../book.ts'
import { persona, type Sunrise } from './personas.ts'
import { held } from '../held.ts'

export const sunrise = held<Sunrise | undefined>(undefined)
export const sunriseFailure = signal<unknown>(undefined)

let question = 0
export async function loadSunrise(): Promise<void> {
  const who = persona.peek()
  if (!who) return
  question += 1
  const mine = question
  try {
    const found = await (await openedBook()).days.sunrise({ persona: who.ci_id })
    if (mine !== question) return
    sunrise.value = found
    sunriseFailure.value = undefined
  } catch (error) {
    if (mine === question) sunriseFailure.value = error
  }
}

const asked = computed(() => (address.value.view === 'personas' && persona.value ? persona.value.ci_id : ''))
effect(() => {
  if (asked.value !== '') void loadSunrise()
})
const shownKinds = new Set(['digest', 'proposal', 'memory', 'persona'])
onBook('change', ({ kinds }) => {
  if (asked.peek() !== '' && kinds.some((kind) => shownKinds.has(kind))) void loadSunrise()
})
