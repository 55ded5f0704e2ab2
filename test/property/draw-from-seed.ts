// Every property test of a run draws from one seed, so that `npm test` asks the same today and tomorrow; `npm run soak:properties`
// asks with others, and prints the one that failed.
import fc from 'fast-check'
import { inject } from 'vitest'

export const propertySeed: number = inject('propertySeed')

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: propertySeed })

declare module 'vitest' {
  interface ProvidedContext {
    propertySeed: number
  }
}
