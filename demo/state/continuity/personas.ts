// Personas, the sunrise of the chosen one, and the persona of all views of continuity: the one in the address, else the
// awake one, else the newest. Invariant: the book reads the sunrise in its own name, which wakes no persona.
import { createReader } from '../reading.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput } from '../../../src/index.ts'
import { placeOf } from '../../kind/view.ts'
import { address, chipOf, go } from '../address.ts'
import { book, onBook } from '../book.ts'
import { held } from '../held.ts'
import { createRef } from 'preact'

export type Persona = CapabilityOutput<'katra:list_personas'>['personas'][number]
export type Session = CapabilityOutput<'katra:list_sessions'>['sessions'][number]
export type Sunrise = CapabilityOutput<'katra:sunrise'>
export type Line = Sunrise['keyEvents'][number]
export type Digest = NonNullable<Sunrise['digest']>

export interface Known extends Persona {
  /** The open session, else the last one that this device knows. */
  readonly last: Session | undefined
}

export const personas = held<readonly Known[] | undefined>(undefined)
export const personasFailure = signal<unknown>(undefined)

const isHere = computed(() => placeOf(address.value.view).views.includes('personas'))

const usual = computed(() => {
  const all = personas.value ?? []
  const awake = all.find(({ last }) => last?.state === 'open')
  return awake ?? all.toSorted((a, b) => (a.registered_at < b.registered_at ? 1 : -1))[0]
})

/** The name or id in the address. */
const wanted = computed(() => (address.value.view === 'personas' ? address.value.id : chipOf('persona')))
export const persona = computed(() =>
  wanted.value === undefined
    ? usual.value
    : personas.value?.find(({ name, ci_id }) => name === wanted.value || ci_id === wanted.value),
)
/** The address names a persona that this book does not have. */
export const isUnknown = computed(
  () => wanted.value !== undefined && personas.value !== undefined && persona.value === undefined,
)
export const wantedName = computed(() => wanted.value ?? '')

const readPersonas = createReader(personasFailure)

export const loadPersonas = (): Promise<void> =>
  readPersonas(
    async (from) =>
      Promise.all(
        (await from.personas.list()).personas.map(async (one): Promise<Known> => {
          const { sessions } = await from.sessions.list({ persona: one.ci_id, limit: 20 })
          return { ...one, last: sessions.find(({ state }) => state === 'open') ?? sessions[0] }
        }),
      ),
    (all) => void (personas.value = all),
  )

/** Goes to a view of the persona. */
export function goTo(
  view: 'days' | 'collections' | 'snapshots',
  of: Pick<Persona, 'name'>,
  id?: string,
): void {
  go({ view, search: '', chips: [{ field: 'persona', value: of.name }], id })
}

effect(() => {
  if (isHere.value && book.value) void loadPersonas()
})
onBook('change', ({ kinds }) => {
  if (isHere.peek() && kinds.some((kind) => kind === 'persona' || kind === 'agent_session'))
    void loadPersonas()
})

export const personaHeading = createRef<HTMLHeadingElement>()

let isFocusWanted = false
/** The view calls it after drawing another persona. */
export function onPersonaDrawn(): void {
  if (isFocusWanted) personaHeading.current?.focus()
  isFocusWanted = false
}

export function choosePersona(id: string | undefined, how: 'push' | 'replace' = 'push'): void {
  isFocusWanted = id !== undefined && id !== persona.peek()?.ci_id
  go({ id }, how)
}

/** To the next or the previous one. */
export function stepPersona(by: 1 | -1): void {
  const all = personas.peek() ?? []
  const at = all.findIndex(({ ci_id }) => ci_id === persona.peek()?.ci_id)
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)]
  if (next) choosePersona(next.ci_id, 'replace')
}

export const sunrise = held<Sunrise | undefined>(undefined)
export const sunriseFailure = signal<unknown>(undefined)

const readSunrise = createReader(sunriseFailure)

export async function loadSunrise(): Promise<void> {
  const of = persona.peek()
  if (!of) return
  await readSunrise(
    (from) => from.days.sunrise({ persona: of.ci_id }),
    (found) => void (sunrise.value = found),
  )
}

const sunrisePersona = computed(() =>
  address.value.view === 'personas' && persona.value ? persona.value.ci_id : '',
)
effect(() => {
  if (sunrisePersona.value !== '') void loadSunrise()
})
const shownKinds = new Set(['digest', 'proposal', 'memory', 'persona'])
onBook('change', ({ kinds }) => {
  if (sunrisePersona.peek() !== '' && kinds.some((kind) => shownKinds.has(kind))) void loadSunrise()
})
