// Which persona is read, and where focus goes when another one is chosen.
import { createRef } from 'preact'
import { go } from '../address.ts'
import { persona, personas } from './personas.ts'

export const personaHeading = createRef<HTMLHeadingElement>()

let isFocusWanted = false
/** Told by the view when it has drawn another one. */
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
