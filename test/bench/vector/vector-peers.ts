// What is measured beside Daybook's scan, what each does, and the most vectors that it is asked to hold.
interface VectorPeer {
  readonly name: string
  readonly mode: string
  readonly most: number
}

export const vectorPeers = {
  codes: {
    name: 'Daybook',
    mode: 'WebAssembly SIMD, best ten included: all 8-bit rows up to 131,072, of more those whose codes are nearest',
    most: Infinity,
  },
  exact: { name: 'Daybook, `exact`', mode: 'all 8-bit rows, however many', most: Infinity },
  scalar: { name: 'Daybook, scalar twin', mode: 'the same rows in plain JavaScript', most: 200_000 },
  floats: {
    name: 'plain JavaScript',
    mode: 'one Float32Array, a dot product for each row, best ten by a sorted list',
    most: 200_000,
  },
  orama: {
    name: 'Orama',
    mode: 'searchVector over all documents, similarity 0.1',
    most: 100_000,
  },
} as const satisfies Readonly<Record<string, VectorPeer>>
export type VectorPeerKey = keyof typeof vectorPeers
