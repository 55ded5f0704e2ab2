// The table of sync: milliseconds of each row, and how many times longer than Daybook within the same round.
import { figure, milliseconds, printFailures, printModes, printTable, ratio } from './report.ts'
import type { SyncFigures, SyncRound } from './run-sync.ts'
import { median } from '../statistic.ts'

const rows = ['push', 'first', 'one', 'idle'] as const

/** Prints what each peer took, beside Daybook. */
export function printSync(
  { size, peers, failures }: SyncFigures,
  versions: Readonly<Record<string, string>>,
): void {
  const ours = peers['daybook']?.rounds ?? []
  const head = [
    'sync, ms',
    ...['push of 1,000', `first of ${figure(size)}`, 'one new', 'nothing new'].flatMap((row) => [
      row,
      '× ours',
    ]),
  ]
  const lines = Object.entries(peers).map(([key, { name, rounds }]) => [
    `${name} ${versions[key] ?? ''}`,
    ...rows.flatMap((row) => {
      const read = (round: SyncRound) => round[row]
      return [
        milliseconds(median(rounds.map(read))),
        ratio(rounds.map(read), ours.map(read), (value) => value),
      ]
    }),
  ])
  printTable([head, ...lines])
  printModes(peers)
  printFailures(failures)
}
