// What is printed of the browsers at the end of a run: every test that ran is in it once, also one that nobody gave a cell.
import { expect, it } from 'vitest'
import { matrixOf, type Ran } from '../../browser-matrix.ts'

const ran = (fullName: string, state: 'passed' | 'failed' = 'passed'): Ran => ({
  fullName,
  result: () => (state === 'passed' ? { state, errors: undefined } : { state, errors: [] }),
})

it('counts each test in its cell, and names the files whose tests have none', () => {
  const lines = matrixOf(
    new Map([
      ['test/tabs/full.test.ts', [ran('says storage-full'), ran('another', 'failed')]],
      ['test/devices/two-profiles.test.ts', [ran('ends: opfs'), ran('ends: indexeddb'), ran('goes on')]],
      ['test/tabs/firefox.test.ts', [ran('Firefox ESR, private window > keeps'), ran('a new one')]],
      ['test/browser/new.test.ts', [ran('one'), ran('two')]],
      ['test/browser/empty.test.ts', []],
    ]),
  )
  const words = lines.map((line) => line.trim().replace(/ {2,}/g, ': '))
  expect(words).toEqual([
    'Chromium, OPFS',
    'full storage: 1 passed, 1 failed',
    'two devices: 2 passed',
    'Chromium, IndexedDB',
    'two devices: 1 passed',
    'Firefox ESR, private window, IndexedDB',
    'kept, and the owner ends: 1 passed',
    'In no cell',
    'test/tabs/firefox.test.ts: 1 passed',
    'test/browser/new.test.ts: 2 passed',
  ])
})
