// What is measured beside Daybook's scan, and what each does.
export const vectorPeers = {
  daybook: { name: 'Daybook', mode: '8-bit rows, WebAssembly SIMD, exact, best ten included' },
  scalar: { name: 'Daybook, scalar twin', mode: 'the same rows in plain JavaScript' },
  floats: {
    name: 'plain JavaScript',
    mode: 'one Float32Array, a dot product for each row, best ten by a sorted list',
  },
  orama: { name: 'Orama', mode: 'searchVector over all documents, similarity 0.1' },
} as const
export type VectorPeerKey = keyof typeof vectorPeers
