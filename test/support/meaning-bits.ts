// Checksums of vectors of `daybook/meaning`, which are the same on every host.
import { crc32 } from '../../src/recall/embed/meaning/crc32.ts'
import { createMeaningModel } from '../../src/recall/embed/meaning/meaning-model.ts'
import { readMeaningTable } from '../../src/recall/embed/meaning/meaning-table.ts'
import type { Wasm } from '../../src/core/ports.ts'
import { smallTable } from './meaning-table.ts'

const texts = [
  'fix the broken car',
  'Repairing automobiles, mended.',
  'the weather is nice '.repeat(500),
  'I\u0307s the \ufb01x\u0301 nicé? Cars\u200b\u00a0你 CAR\u0301S',
]

/** The checksums on this host, by WebAssembly if it is given. */
export const meaningBits = (wasm?: Wasm): number[] => {
  const model = createMeaningModel(readMeaningTable(smallTable()), wasm)
  return texts.map((text) => crc32(new Uint8Array(model.embed(text).buffer)))
}

/** The right checksums, on every host. */
export const rightMeaningBits: readonly number[] = [3772004722, 3369409682, 2295760962, 4028755827]
