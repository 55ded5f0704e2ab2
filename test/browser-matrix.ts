// Tells at the end of a run which promises were tried in which browsers, on which storage, and why a cell is empty.
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { root } from '../scripts/place.mjs'

/** A cell of the matrix: its tests are those of a file, or the ones below a `describe` of it. */
interface Cell {
  readonly browser: string
  readonly promise: string
  readonly file: string
  readonly within?: string
}

const on = (browser: string, promises: Readonly<Record<string, string>>): Cell[] =>
  Object.entries(promises).map(([promise, place]) => {
    const [file = '', within] = place.split(' > ')
    return { browser, promise, file, ...(within === undefined ? {} : { within }) }
  })

const cells: readonly Cell[] = [
  ...on('Chromium, OPFS', {
    'every capability': 'test/browser/daybook.test.ts',
    'opening and closing': 'test/browser/lifecycle.test.ts',
    'several tabs': 'test/tabs/tabs.test.ts',
    'sleep, hang, upgrade': 'test/tabs/sleep.test.ts',
    'random deaths': 'test/tabs/soak.test.ts',
    'encryption at rest': 'test/browser/seal.test.ts',
    'two devices': 'test/devices/two-profiles.test.ts',
    'sent with no page open': 'test/devices/background.test.ts',
  }),
  ...on('Chromium, IndexedDB', {
    'every capability': 'test/browser/journal-book.test.ts',
    'the journal itself': 'test/browser/indexed-journal.test.ts',
    'opening, loss of the connection, quota': 'test/browser/journal-life.test.ts',
    'two devices': 'test/devices/two-profiles.test.ts > indexeddb',
  }),
  ...on('Firefox ESR, OPFS', {
    'owner ends': 'test/tabs/firefox.test.ts > goes on when the owner ends',
    'storm of reloads': 'test/tabs/firefox.test.ts > outlives a storm of reloads',
  }),
  ...on('Firefox ESR, private window, IndexedDB', {
    'kept, and the owner ends': 'test/tabs/firefox.test.ts > private window',
  }),
  ...on('WebKitGTK, IndexedDB', {
    'kept over reloads': 'test/tabs/webkit.test.ts > keeps a book',
    'owner ends': 'test/tabs/webkit.test.ts > gives the book',
  }),
]

export class BrowserMatrix implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = new Map(
      modules.map((module) => [relative(root, module.moduleId), [...module.children.allTests()]]),
    )
    const rows = Map.groupBy(
      cells.flatMap((cell) => {
        const here = tests.get(cell.file)?.filter((test) => test.fullName.includes(cell.within ?? '')) ?? []
        return here.length === 0 ? [] : [{ ...cell, outcome: describeOutcome(here) }]
      }),
      ({ browser }) => browser,
    )
    if (rows.size === 0) return
    const lines = [...rows].flatMap(([browser, ran]) => [
      ` ${browser}`,
      ...ran.map(({ promise, outcome }) => `   ${promise.padEnd(40)} ${outcome}`),
    ])
    process.stdout.write(`\n Browsers, and what was tried in them:\n${lines.join('\n')}\n`)
  }
}

function describeOutcome(tests: readonly TestCase[]): string {
  const results = tests.map((test) => test.result())
  const count = (state: string) => results.filter((result) => result.state === state).length
  const reason = results.find((result) => result.state === 'skipped' && result.note)
  return [
    count('passed') > 0 && `${count('passed')} passed`,
    count('failed') > 0 && `${count('failed')} failed`,
    count('skipped') > 0 &&
      `${count('skipped')} not run${reason?.state === 'skipped' ? `: ${reason.note}` : ''}`,
  ]
    .filter(Boolean)
    .join(', ')
}
