// The tables. A ratio is the median over the rounds of the ratio within one round: what slowed both, leaves it alone.
import type { SearchFigures, SearchPeerFigures } from './run-search.ts'
import type { StoreFigures } from './run-store.ts'
import type { VectorFigures } from './run-vector.ts'
import { median } from '../statistic.ts'
import type { StoreRound } from '../store-page.ts'

type Versions = Readonly<Record<string, string>>

const rows = ['single', 'concurrent', 'batch', 'batchThenRead'] as const

/** Prints traces a second, each row beside idb. */
export function printStore({ peers, failures }: StoreFigures, versions: Versions): void {
  const anchor = peers['idb']?.rounds ?? []
  const head = [
    'store, traces/s',
    'single',
    '× idb',
    '64 at once',
    '× idb',
    'batch 1,000',
    '× idb',
    '5 batches + read',
    '× idb',
    'that read',
  ]
  const lines = Object.entries(peers).map(([key, { name, rounds }]) => {
    const cells = rows.flatMap((row) => [
      figure(median(rounds.map((round) => round[row]))),
      ratio(rounds, anchor, (round) => round[row]),
    ])
    return [
      `${name} ${versions[key] ?? ''}`,
      ...cells,
      milliseconds(median(rounds.map(({ firstReadMs }) => firstReadMs))),
    ]
  })
  printTable([head, ...lines])
  printModes(peers)
  printFailures(failures)
}

/** What of Daybook the others stand beside: all of recall as the page sees it, and the mere ranking in the worker. */
const ownWays = [
  ['daybook', 'recall'],
  ['engine', 'text'],
] as const

/** Prints milliseconds a question, and how many times longer each peer takes than Daybook. */
export function printSearch({ sizes, failures }: SearchFigures, versions: Versions): void {
  for (const [size, peers] of Object.entries(sizes)) {
    const head = [
      `search, ${figure(Number(size))} texts`,
      'p50 ms',
      'p95 ms',
      'first p95',
      'answered',
      ...ownWays.flatMap(([, way]) => [`p50 × ${way}`, `p95 × ${way}`]),
      'filled in',
      'size',
    ]
    const lines = Object.entries(peers).flatMap(([key, peer]) =>
      Object.keys(peer.rounds[0] ?? {}).map((way) => {
        const at = (share: 'p50' | 'p95') => peer.rounds.map((round) => round[way]?.[share] ?? Number.NaN)
        const beside = ownWays.flatMap(([ours, own]) =>
          (['p50', 'p95'] as const).map((share) =>
            timesOurs(rowsOf(peer, way), rowsOf(peers[ours], own), share),
          ),
        )
        const label =
          key === 'daybook' || key === 'engine'
            ? `${peer.name} ${way}`
            : `${peer.name} ${versions[key] ?? ''}`
        const answered = `${Math.round(100 * median(peer.rounds.map((round) => round[way]?.answered ?? 0)))} %`
        return [
          label,
          milliseconds(median(at('p50'))),
          milliseconds(median(at('p95'))),
          milliseconds(peer.first[way]?.p95 ?? Number.NaN),
          answered,
          ...beside,
          `${(peer.fillMs / 1000).toFixed(1)} s`,
          megabytes(peer.sizeBytes),
        ]
      }),
    )
    printTable([head, ...lines])
    printReopened(Number(size), peers)
  }
  printModes(Object.values(sizes)[0] ?? {})
  printFailures(failures)
}

/** Prints milliseconds a question, and how many times longer each takes than Daybook's scan. */
export function printVector({ size, peers, failures }: VectorFigures, versions: Versions): void {
  const ours = peers['codes']?.rounds ?? []
  const head = [
    `vectors, ${figure(size)} × 384`,
    'p50 ms',
    'p95 ms',
    'p50 × ours',
    'p95 × ours',
    'same best ten',
    'filled in',
    'memory',
  ]
  const lines = Object.entries(peers).map(([key, { name, rounds, agrees, fillMs, bytes }]) => {
    const times = (share: 'p50' | 'p95') =>
      ratio(
        rounds.map((round) => round[share]),
        ours.map((round) => round[share]),
        (value) => value,
      )
    return [
      `${name} ${versions[key] ?? ''}`,
      milliseconds(median(rounds.map(({ p50 }) => p50))),
      milliseconds(median(rounds.map(({ p95 }) => p95))),
      times('p50'),
      times('p95'),
      `${(100 * median(agrees)).toFixed(1)} %`,
      `${(fillMs / 1000).toFixed(1)} s`,
      megabytes(bytes),
    ]
  })
  printTable([head, ...lines])
  printModes(peers)
  printFailures(failures)
}

/** Prints how long it takes from a fresh page to an answer, for those who keep what they have. */
function printReopened(size: number, peers: Readonly<Record<string, SearchPeerFigures>>): void {
  const kept = Object.values(peers).filter(({ reopened }) => reopened.length > 0)
  if (kept.length === 0) return
  const head = [
    `opened anew, ${figure(size)} texts`,
    'open',
    'first recall',
    'both',
    'both, worst',
    'next recall',
  ]
  const lines = kept.map(({ name, reopened, settleMs, memoryBytes }) => {
    const both = reopened.map(({ openMs, firstMs }) => openMs + firstMs)
    const vectors = median(reopened.map(({ vectorsMs }) => vectorsMs ?? Number.NaN))
    return [
      name,
      milliseconds(median(reopened.map(({ openMs }) => openMs))),
      milliseconds(median(reopened.map(({ firstMs }) => firstMs))),
      milliseconds(median(both)),
      milliseconds(Math.max(...both)),
      milliseconds(median(reopened.map(({ nextMs }) => nextMs))),
      milliseconds(vectors),
      `${(settleMs / 1000).toFixed(1)} s`,
      megabytes(memoryBytes),
    ]
  })
  printTable([[...head, 'vectors in memory', 'settled in, at first', 'postings in memory'], ...lines])
}

const rowsOf = (peer: SearchPeerFigures | undefined, way: string) =>
  (peer?.rounds ?? []).map((round) => round[way])

type Rows = ReturnType<typeof rowsOf>

function timesOurs(theirs: Rows, ours: Rows, share: 'p50' | 'p95'): string {
  const at = (rows: Rows) => rows.map((row) => row?.[share] ?? Number.NaN)
  return ratio(at(theirs), at(ours), (value) => value)
}

export function ratio<Round extends StoreRound | number>(
  rounds: readonly Round[],
  anchor: readonly Round[],
  read: (round: Round) => number,
): string {
  const ratios = rounds.flatMap((round, i) => {
    const beside = anchor[i]
    return beside === undefined ? [] : [read(round) / read(beside)]
  })
  const middle = median(ratios)
  return Number.isNaN(middle) ? '–' : middle.toFixed(middle < 0.1 ? 3 : middle < 10 ? 2 : 0)
}

export function printTable(lines: readonly (readonly string[])[]): void {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
  }
  console.log('')
}

export function printModes(
  peers: Readonly<Record<string, { readonly name: string; readonly mode: string }>>,
): void {
  for (const { name, mode } of Object.values(peers)) console.log(`  ${name}: ${mode}.`)
  console.log('')
}

export function printFailures(failures: readonly { readonly peer: string; readonly error: string }[]): void {
  for (const { peer, error } of failures) console.log(`  FAILED ${peer}: ${error}`)
}

export function figure(value: number): string {
  if (Number.isNaN(value)) return '–'
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')
}

export function milliseconds(value: number): string {
  return Number.isNaN(value) ? '–' : value < 10 ? value.toFixed(2) : value.toFixed(0)
}

function megabytes(value: number | undefined): string {
  return value === undefined ? '–' : `${(value / 2 ** 20).toFixed(1)} MB`
}
