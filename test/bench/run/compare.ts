// Compares this build with a packed one in the same run: `npm run bench -- --compare daybook-0.1.0.tgz`.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../statistic.ts'
import type { StoreRound } from '../store-page.ts'

/** The key of the peer that uses the packed build. */
export const beforeKey = 'daybook-before'

/** A row may be slower by this share. */
export const allowedLoss = 0.1

const rows = ['single', 'concurrent', 'batch', 'batchThenRead'] as const

export interface ComparedRow {
  readonly row: (typeof rows)[number]
  /** Traces a second of this build divided by those of the packed one: the median over the rounds. */
  readonly ratio: number
  /** True also for a row without figures. */
  readonly isSlower: boolean
}

/** Compares the rounds of this build, `now`, with those of the packed build, `before`. */
export function compareRounds(now: readonly StoreRound[], before: readonly StoreRound[]): ComparedRow[] {
  const rounds = Math.min(now.length, before.length)
  return rows.map((row) => {
    // Within one round: if something else slows the machine, it slows both.
    const ratio = median(
      Array.from(
        { length: rounds },
        (_, i) => (now[i]?.[row] ?? Number.NaN) / (before[i]?.[row] ?? Number.NaN),
      ),
    )
    return { row, ratio, isSlower: !(ratio >= 1 - allowedLoss) }
  })
}

/** Prints each row beside the packed build; returns how many rows are slower. */
export function printComparison(
  peers: Readonly<Record<string, { readonly rounds: readonly StoreRound[] }>>,
): number {
  const compared = compareRounds(peers['daybook']?.rounds ?? [], peers[beforeKey]?.rounds ?? [])
  for (const { row, ratio, isSlower } of compared)
    console.log(
      `  ${row}: ${ratio.toFixed(2)} × the packed build${isSlower ? `, SLOWER by more than ${allowedLoss * 100} %` : ''}`,
    )
  console.log('')
  return compared.filter(({ isSlower }) => isSlower).length
}

/**
 * Unpacks the package in `file` into a temporary folder, which is removed at the end of the process. Returns the entry
 * of a page. The package uses the installed dependencies of this project.
 */
export function unpackBefore(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-before-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-xzf', file, '-C', folder])
  const entry = join(folder, 'package/dist/index.js')
  if (!existsSync(entry)) throw new Error(`${file} is no package of Daybook: it has no dist/index.js.`)
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'), 'junction')
  return entry
}
