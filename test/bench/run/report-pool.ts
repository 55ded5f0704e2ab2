// The table of the pool: what a question takes with it and without.
import { quantile } from '../statistic.ts'
import { figure, milliseconds, printFailures, printTable } from './report.ts'
import type { PoolFigures } from './run-pool.ts'

const shares = [0.5, 0.95]

export function printPool({ figure: measured, failures }: PoolFigures): void {
  if (measured) {
    const { facts, claws, active, without, within } = measured
    const before = new Map(without.map(({ asked, ms }) => [asked, ms]))
    printTable([
      [
        `a pool of ${figure(facts)} facts and ${figure(claws)} claws, ${figure(active)} of them there, ms`,
        'found',
        'p50',
        'p95',
        'p50 without',
        'p95 without',
      ],
      ...within.map(({ asked, found, ms }) => [
        asked,
        figure(found),
        ...shares.map((share) => milliseconds(quantile(ms, share))),
        ...shares.map((share) => milliseconds(quantile(before.get(asked) ?? [], share))),
      ]),
    ])
  }
  printFailures(failures)
}
