// The program that writes bundles. A separate file, because pages load it. A test compares the version with the
// package.
export const product = { type: 'daybook', version: '0.1.0' } as const
