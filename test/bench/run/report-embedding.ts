// The table of embedding in a page.
import { figure, milliseconds, printFailures, printTable } from './report.ts'
import type { EmbeddingFigures } from './run-embedding.ts'
import { median, quantile } from '../statistic.ts'

export function printEmbedding({ size, model, book, failures }: EmbeddingFigures): void {
  const calls = book.flatMap(({ callMs }) => callMs)
  printTable([
    [
      `embedding ${figure(size)} texts in a page`,
      'a second',
      'all have vectors',
      'a call meanwhile, p50',
      'p95',
      'longest',
    ],
    ['the model alone, 200 characters each', figure(Math.round(median(model))), '–', '–', '–', '–'],
    [
      'records of a book',
      figure(Math.round(median(book.map(({ perSecond }) => perSecond)))),
      `${(median(book.map(({ allMs }) => allMs)) / 1000).toFixed(1)} s`,
      ...[0.5, 0.95, 1].map((share) => milliseconds(quantile(calls, share))),
    ],
  ])
  printFailures(failures)
}
