// `daybook/svelte` in Svelte, in a component that its compiler made.
import { mount, unmount } from 'svelte'
import Answer from './answer.svelte'
import { bindingCases, type Given } from './binding-case.ts'
import { heldProps } from './held.svelte.ts'

bindingCases('Svelte', (root, given) => {
  const props = heldProps(given)
  const drawn = mount(Answer, { target: root, props })
  return {
    change: (next: Given) => void (props.given = next),
    unmount: () => void unmount(drawn),
  }
})
