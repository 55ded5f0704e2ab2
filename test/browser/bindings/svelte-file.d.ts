// What the compiler of Svelte makes of a component, and the runes that it knows.
declare module '*.svelte' {
  import type { Component } from 'svelte'
  const component: Component<{ given: import('./binding-case.ts').Given }>
  // oxlint-disable-next-line import/no-default-export -- it is how Svelte exports a component
  export default component
}
declare const $state: { raw<T>(given: T): T }
