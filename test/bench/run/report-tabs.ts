// The tables of several tabs: the time without an owner, and a follower's calls beside the owner's.
import { figure, milliseconds, printFailures, printTable } from './report.ts'
import type { TabsFigures } from './run-tabs.ts'
import { median, quantile } from '../statistic.ts'

export function printTabs({ takeovers, calls, failures }: TabsFigures): void {
  printTable([
    ['owner killed, ms to the first write of another tab', 'deaths', 'p50', 'p95', 'longest'],
    [
      'Daybook',
      figure(takeovers.length),
      ...[0.5, 0.95, 1].map((share) => milliseconds(quantile(takeovers, share))),
    ],
  ])
  printTable([
    ['a call, ms', 'from the owner', 'from another tab', 'ratio'],
    ...Object.entries(calls).map(([call, rounds]) => [
      call,
      milliseconds(median(rounds.map(({ owner }) => owner))),
      milliseconds(median(rounds.map(({ follower }) => follower))),
      `${median(rounds.map(({ owner, follower }) => follower / owner)).toFixed(1)} ×`,
    ]),
  ])
  printFailures(failures)
}
