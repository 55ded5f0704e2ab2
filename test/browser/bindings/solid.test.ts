// `daybook/solid` in Solid.
import { createSignal } from 'solid-js'
import { insert, render } from 'solid-js/web'
import { createLive } from '../../../src/bindings/solid.ts'
import { bindingCases, type Given, textOf } from './binding-case.ts'

bindingCases('Solid', (root, given) => {
  const [now, change] = createSignal<Given>(given)
  const unmount = render(() => {
    const answer = createLive(
      () => now().book,
      () => now().query,
    )
    const shown = document.createElement('p')
    insert(shown, () => textOf(answer()))
    return shown
  }, root)
  return { change, unmount }
})
