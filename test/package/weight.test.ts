// The downloads of a page with the package, within their limits.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { workerLimitBytes, workerWeight } from '../../scripts/page-weight.mjs'
import { root } from '../../scripts/place.mjs'
import { requireTarball } from './app.ts'

test('the worker starts within its limit, with later files beside it', () => {
  requireTarball()
  const { startBytes, later } = workerWeight(join(root, 'dist'))
  expect(startBytes).toBeLessThan(workerLimitBytes)
  expect(later.map(({ file }) => /^worker-(\w+)-/.exec(file)?.[1])).toEqual(
    expect.arrayContaining(['consent', 'continuity', 'bundle', 'pool']),
  )
})
