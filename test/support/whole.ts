// The parts of a whole test run that `npm test` leaves to `npm run soak:whole`: most draws of the longest tests, and on
// further hosts the contract cases that give the same result on every host.
import { inject } from 'vitest'

/** Whether this run draws everything on every host. */
export const isWhole: boolean = inject('isWhole')

/** The number of draws of a test: `few` in `npm test`, `all` in `npm run soak:whole`. */
export const draws = (few: number, all: number): number => (isWhole ? all : few)

declare module 'vitest' {
  interface ProvidedContext {
    isWhole: boolean
  }
}
