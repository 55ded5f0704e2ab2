// The table of the inspector, each figure beside the one that it is to hold.
import { median } from '../statistic.ts'
import { figure, milliseconds, printFailures, printTable } from './report.ts'
import type { InspectorFigures } from './run-inspector.ts'

export function printInspector(figures: InspectorFigures): void {
  const { traces, startBytes, cold, warm, frames, waiting, search, failures } = figures
  const many = `${figure(traces)} traces`
  printTable([
    ['inspector', 'median', 'to hold'],
    ['scripts at start, KB gzip', figure(startBytes / 1024), '110'],
    ['a new book to its first view, ms', milliseconds(median(cold)), '1,000'],
    [`${many} to their first rows, ms`, milliseconds(median(warm)), '900'],
    [`a flick through ${many}, p95 of a frame, ms`, milliseconds(median(frames)), '25'],
    ['frames of it with rows still to come', `${(100 * median(waiting)).toFixed(1)} %`, '5 %'],
    [`last key to the rows of a search in ${many}, ms`, milliseconds(median(search)), '120'],
  ])
  printFailures(failures)
}
