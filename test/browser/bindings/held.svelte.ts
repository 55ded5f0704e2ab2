// Props that a test changes after they were given.
/** Made reactive by the compiler of Svelte. */
export function heldProps<T extends object>(first: T): { given: T } {
  let now = $state.raw(first)
  return {
    get given() {
      return now
    },
    set given(next) {
      now = next
    },
  }
}
