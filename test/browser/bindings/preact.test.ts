// `daybook/preact` in Preact.
import { h, render } from 'preact'
import { useLive } from '../../../src/bindings/preact.ts'
import { bindingCases, type Given, textOf } from './binding-case.ts'

const Answer = ({ book, query }: Given) => h('p', null, textOf(useLive(book, query)))

bindingCases('Preact', (root, given) => {
  const draw = (now: Given) => render(h(Answer, now), root)
  draw(given)
  return { change: draw, unmount: () => render(null, root) }
})
