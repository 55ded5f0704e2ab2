// The seed of a run's property tests: a fixed one, or the one that `DAYBOOK_PROPERTY_SEED` names.
export const runSeed: number = Number(process.env['DAYBOOK_PROPERTY_SEED'] ?? 20_261_123)

/** Whether the run draws everything on every host, as `npm run soak:whole` does. */
export const isWhole: boolean = process.env['DAYBOOK_WHOLE'] === '1'

declare module 'vitest' {
  interface ProvidedContext {
    isWhole: boolean
  }
}
