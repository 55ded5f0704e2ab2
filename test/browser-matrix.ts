// Tells at the end of a run which promises were tried in which browsers, on which storage, and why a cell is empty.
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { root } from '../scripts/place.mjs'
import { defined } from '../src/core/defined.ts'

/** A cell of the matrix: its tests are those of a file with some words in their names, or all that no other cell has. */
interface Cell {
  readonly browser: string
  readonly promise: string
  readonly file: string
  readonly within?: string
}

const on = (browser: string, promises: Readonly<Record<string, string>>): Cell[] =>
  Object.entries(promises).map(([promise, place]) => {
    const [file = '', within] = place.split(' > ')
    return { browser, promise, file, ...defined({ within }) }
  })

const cells: readonly Cell[] = [
  ...on('Chromium, OPFS', {
    'every capability': 'test/browser/daybook.test.ts',
    'the database under it': 'test/browser/storage/sql-database.test.ts',
    'opening and closing, a worker that ends': 'test/browser/lifecycle.test.ts',
    'damaged files': 'test/browser/storage/damaged-book.test.ts',
    'books of every earlier schema': 'test/browser/storage/stored-book.test.ts',
    'kept, or evicted': 'test/browser/canary.test.ts',
    'full storage': 'test/tabs/full.test.ts',
    'full disk': 'test/tabs/full-disk.test.ts',
    'several tabs': 'test/tabs/tabs.test.ts',
    'ports between tabs, or none': 'test/tabs/line.test.ts',
    'calls over a change of owner': 'test/browser/takeover.test.ts',
    'tasks over the end of a worker': 'test/browser/task.test.ts',
    'sleep, hang, upgrade': 'test/tabs/sleep.test.ts',
    'frozen by the browser': 'test/tabs/frozen.test.ts',
    'data cleared while open': 'test/tabs/cleared.test.ts',
    'random deaths': 'test/tabs/soak.test.ts',
    'pace of a second tab': 'test/tabs/pace.test.ts',
    'who looks at a book': 'test/browser/view.test.ts',
    'encryption at rest': 'test/browser/seal.test.ts',
    'keys of the device': 'test/browser/keyring.test.ts',
    'two devices': 'test/devices/two-profiles.test.ts',
    'sent with no page open': 'test/devices/background.test.ts',
    'one meeting room': 'test/devices/room.test.ts',
    'agents of other frameworks, over a crash': 'test/tabs/door/agents.test.ts',
    'agents across devices, as the guide has it': 'test/devices/agents-across-devices.test.ts',
  }),
  ...on('Chromium, IndexedDB', {
    'every capability': 'test/browser/storage/journal-book.test.ts',
    'the journal itself': 'test/browser/storage/indexed-journal.test.ts',
    'damaged files': 'test/browser/storage/damaged-journal.test.ts',
    'opening, loss of the connection': 'test/browser/storage/journal-life.test.ts',
    'several tabs, deaths, full storage': 'test/tabs/journal.test.ts',
    'two devices': 'test/devices/two-profiles.test.ts > indexeddb',
  }),
  ...on('Chromium, beside the storage', {
    'language models': 'test/browser/llm.test.ts',
    'a local embedding model': 'test/browser/local-embedder.test.ts',
    'the README as it stands': 'test/browser/readme.test.ts',
    'the guide as it stands': 'test/browser/docs.test.ts',
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
    'hidden pages': 'test/tabs/webkit.test.ts > lets go',
  }),
]

/** Whose tests all run in browsers. */
const projects = new Set(['browser', 'tabs', 'devices'])

/** What a line is about: the tests of a file, by their full names. */
export type Ran = Pick<TestCase, 'fullName' | 'result'>

/** The cell of a test. */
function cellOf(file: string, { fullName }: Ran): Cell | undefined {
  const own = cells.filter((cell) => cell.file === file)
  const named = own.find(({ within }) => within !== undefined && fullName.includes(within))
  return named ?? own.find(({ within }) => within === undefined)
}

/** The lines of the matrix: a cell for what ran of it, and of each file what is in no cell. */
export function matrixOf(tests: ReadonlyMap<string, readonly Ran[]>): string[] {
  const all = [...tests].flatMap(([file, ran]) =>
    ran.map((test) => ({ file, test, cell: cellOf(file, test) })),
  )
  const ofCell = Map.groupBy(all, ({ cell, file }) => cell ?? file)
  const places = [...cells, ...tests.keys()].map((place) => ({
    ...(typeof place === 'string' ? { browser: 'In no cell', promise: place } : place),
    ran: (ofCell.get(place) ?? []).map(({ test }) => test),
  }))
  const rows = Map.groupBy(
    places.filter(({ ran }) => ran.length > 0),
    ({ browser }) => browser,
  )
  return [...rows].flatMap(([browser, row]) => [
    ` ${browser}`,
    ...row.map(({ promise, ran }) => `   ${promise.padEnd(40)} ${describeOutcome(ran)}`),
  ])
}

export class BrowserMatrix implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules
      .filter(({ project }) => projects.has(project.name))
      .map((module) => [relative(root, module.moduleId), [...module.children.allTests()]] as const)
    const lines = matrixOf(new Map(tests))
    if (lines.length === 0) return
    process.stdout.write(`\n Browsers, and what was tried in them:\n${lines.join('\n')}\n`)
  }
}

function describeOutcome(tests: readonly Ran[]): string {
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
