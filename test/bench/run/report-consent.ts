// The tables of consent: what a decision and a profile take.
import { quantile } from '../statistic.ts'
import { figure, milliseconds, printFailures, printTable } from './report.ts'
import type { ConsentFigures } from './run-consent.ts'

const shares = [0.5, 0.95, 1]

export function printConsent({ size, decisions, profiles, failures }: ConsentFigures): void {
  if (decisions)
    printTable([
      ['a decision over 1,000 policies, ms', 'matching', 'p50', 'p95', 'longest'],
      [
        'Daybook',
        figure(decisions.matching),
        ...shares.map((share) => quantile(decisions.ms, share).toFixed(3)),
      ],
    ])
  printTable([
    [`a profile of ${figure(size)} memories, ms`, 'found', 'p50', 'p95', 'longest'],
    ...profiles.map(({ scopes, found, ms }) => [
      scopes,
      figure(found),
      ...shares.map((share) => milliseconds(quantile(ms, share))),
    ]),
  ])
  printFailures(failures)
}
