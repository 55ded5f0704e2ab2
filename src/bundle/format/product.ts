// The program that writes bundles. Alone here, as pages load it. A test compares the version with the package.
export const product = { type: 'daybook', version: '0.1.0' } as const
