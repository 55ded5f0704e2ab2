// `daybook/vue` in Vue.
import { createApp, h, shallowRef } from 'vue'
import { useLive } from '../../../src/bindings/vue.ts'
import { bindingCases, type Given, textOf } from './binding-case.ts'

bindingCases('Vue', (root, given) => {
  const now = shallowRef<Given>(given)
  const app = createApp({
    setup() {
      const answer = useLive(
        () => now.value.book,
        () => now.value.query,
      )
      return () => h('p', textOf(answer.value))
    },
  })
  app.mount(root)
  return { change: (next) => (now.value = next), unmount: () => app.unmount() }
})
