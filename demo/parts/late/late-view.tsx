// Views whose code comes when one of them is first shown, or before, when the page has nothing else to do: what a reader starts
// with does not wait for the rest.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { EmptyNote } from '../empty-note.tsx'

export interface LateViews<Name extends string> {
  /** The view that the code has under this name. */
  view(name: Name): ComponentType
  /** The same where nothing is to stand before it is there, such as a dialog. */
  dialog(name: Name, Missing: ComponentType): ComponentType
  /** Fetches the code; once for all of its views. That it can't be had is said where one of them is shown. */
  load(): Promise<void>
}

/** The views of one part of the page, whose code `fetchCode` fetches. */
export function createLateViews<Name extends string>(
  fetchCode: () => Promise<Readonly<Record<Name, ComponentType>>>,
): LateViews<Name> {
  const found = signal<Readonly<Record<Name, ComponentType>> | 'missing' | undefined>(undefined)
  let loading: Promise<void> | undefined
  const load = () =>
    (loading ??= fetchCode().then(
      (views) => void (found.value = views),
      () => void (found.value = 'missing'),
    ))
  const late = (name: Name, Waiting: ComponentType, Missing: ComponentType) =>
    function LateView() {
      useEffect(() => void load(), [])
      const code = found.value
      const Shown: ComponentType = code === undefined ? Waiting : code === 'missing' ? Missing : code[name]
      return <Shown />
    }
  return {
    load,
    view: (name) => late(name, WaitingView, MissingView),
    dialog: (name, Missing) => late(name, Nothing, Missing),
  }
}

const Nothing = () => null
const WaitingView = () => <p class="late" aria-busy="true" />

/** A browser remembers a script that it could not fetch: only a new page asks for it again. */
export function MissingView() {
  return (
    <EmptyNote title="This part of the page could not be loaded.">
      <p>You may be offline, or a new version was published. Your data is safe.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </EmptyNote>
  )
}
