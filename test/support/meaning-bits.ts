// Checksums of vectors of `daybook/meaning`, which are the same on every host.
import { crc32 } from '../../src/recall/embed/meaning/crc32.ts'
import { createMeaningModel } from '../../src/recall/embed/meaning/meaning-model.ts'
import { readMeaningTable } from '../../src/recall/embed/meaning/meaning-table.ts'
import { smallTable } from './meaning-table.ts'

const texts = [
  'fix the broken car',
  'Repairing automobiles, mended.',
  'the weather is nice '.repeat(500),
  'I\u0307s the \ufb01x\u0301 nicé? Cars\u200b\u00a0你 CAR\u0301S',
]

/** What this host computes. */
export const meaningBits = (): number[] => {
  const model = createMeaningModel(readMeaningTable(smallTable()))
  return texts.map((text) => crc32(new Uint8Array(model.embed(text).buffer)))
}

/** What every host must compute. */
export const rightMeaningBits: readonly number[] = [1971422819, 3321469339, 2555255738, 579098510]
