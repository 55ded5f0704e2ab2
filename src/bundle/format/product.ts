// What writes bundles, as they name it. A test holds the version to that of the package.
export const product = { type: 'daybook', version: '0.1.0' } as const
