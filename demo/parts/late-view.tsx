// Views whose code loads when one of them is first shown, or earlier while the page is idle. The start does not wait for them.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { EmptyNote } from './empty-note.tsx'

export interface LateViews<Name extends string> {
  /** The view that the code has under this name. */
  view(name: Name): ComponentType
  /** The same, but empty while loading, such as a dialog. */
  dialog(name: Name, Missing: ComponentType): ComponentType
  /** Fetches the code, once for all of its views. After an error each view shows it. */
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

/** A browser remembers a script that failed to load: only a new page fetches it again. */
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
