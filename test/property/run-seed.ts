// The seed of a run's property tests: a fixed one, or the one that `DAYBOOK_PROPERTY_SEED` names.
export const runSeed: number = Number(process.env['DAYBOOK_PROPERTY_SEED'] ?? 20_261_123)
