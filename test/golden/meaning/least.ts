// The least figures with the embedder `meaning`, on every host: the measured ones less what a day or a small change may cost.
import type { Figures } from '../set-measure.ts'
import { measured } from './measured.ts'

const slack = 0.015

export const leastOf = (set: string): Figures =>
  Object.fromEntries(Object.entries(measured[set] ?? {}).map(([figure, value]) => [figure, value - slack]))
