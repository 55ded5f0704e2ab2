// The personas of the book, and the one that the views of continuity are about: the one that the address names, else the one
// that is awake, else the one registered last.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput } from '../../../src/index.ts'
import { placeOf } from '../../kind/view.ts'
import { address, chipOf, go } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { held } from '../held.ts'

export type Persona = CapabilityOutput<'katra:list_personas'>['personas'][number]
export type Session = CapabilityOutput<'katra:list_sessions'>['sessions'][number]
export type Sunrise = CapabilityOutput<'katra:sunrise'>
export type Line = Sunrise['keyEvents'][number]
export type Digest = NonNullable<Sunrise['digest']>

export interface Known extends Persona {
  /** The one that it is in, else the last one; as far as this device knows. */
  readonly last: Session | undefined
}

export const personas = held<readonly Known[] | undefined>(undefined)
export const personasFailure = signal<unknown>(undefined)

export const isHere = computed(() => placeOf(address.value.view).views.includes('personas'))

const usual = computed(() => {
  const all = personas.value ?? []
  const awake = all.find(({ last }) => last?.state === 'open')
  return awake ?? all.toSorted((a, b) => (a.registered_at < b.registered_at ? 1 : -1))[0]
})

/** Who is asked for by name or id; undefined while nobody is, or there is no such persona. */
const asked = computed(() => (address.value.view === 'personas' ? address.value.id : chipOf('persona')))
export const persona = computed(() => {
  const who = asked.value
  return who === undefined
    ? usual.value
    : personas.value?.find(({ name, ci_id }) => name === who || ci_id === who)
})
/** The address names a persona that this book does not have. */
export const isUnknown = computed(
  () => asked.value !== undefined && personas.value !== undefined && persona.value === undefined,
)
export const askedName = computed(() => asked.value ?? '')

let question = 0
export async function loadPersonas(): Promise<void> {
  question += 1
  const mine = question
  try {
    const from = await openedBook()
    const listed = (await from.personas.list()).personas
    const known = await Promise.all(
      listed.map(async (one): Promise<Known> => {
        const { sessions } = await from.sessions.list({ persona: one.ci_id, limit: 20 })
        return { ...one, last: sessions.find(({ state }) => state === 'open') ?? sessions[0] }
      }),
    )
    if (mine !== question) return
    personas.value = known
    personasFailure.value = undefined
  } catch (error) {
    if (mine === question) personasFailure.value = error
  }
}

/** Goes to a view of the persona. */
export function goTo(
  view: 'days' | 'collections' | 'snapshots',
  who: Pick<Persona, 'name'>,
  id?: string,
): void {
  go({ view, search: '', chips: [{ field: 'persona', value: who.name }], id })
}

effect(() => {
  if (isHere.value && book.value) void loadPersonas()
})
onBook('change', ({ kinds }) => {
  if (isHere.peek() && kinds.some((kind) => kind === 'persona' || kind === 'agent_session'))
    void loadPersonas()
})
