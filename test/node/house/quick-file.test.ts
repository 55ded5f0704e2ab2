// The quick tests are chosen by rules, and each rule still finds something to leave out.
import { posix } from 'node:path'
import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import { longNames, quickFiles } from '../../quick-file.ts'

const quick = quickFiles()

it('leaves out what starts a process, itself or through what it imports', () => {
  expect(quick).not.toContain('test/node/hosts/node/cli/cli.test.ts')
  expect(quick.filter((file) => file.includes('/postgres/') || file.includes('sabotage'))).toEqual([])
  expect(quick).toContain('test/node/hosts/node/daybook.test.ts')
  expect(quick).toContain('test/node/house/quick-file.test.ts')
  expect(quick.length).toBeGreaterThan(90)
})

it.each(longNames)('leaves out what is called %s, of which there is some', (name) => {
  expect(globSync(`test/{node,sim}/**/${name}`, { cwd: root })).not.toEqual([])
  expect(quick.filter((file) => posix.matchesGlob(posix.basename(file), name))).toEqual([])
})
