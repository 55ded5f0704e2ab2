// The quick tests are chosen by rules, and each rule still finds something to leave out.
import { posix } from 'node:path'
import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import { longNames, quickFiles } from '../../quick-file.ts'

const quick = quickFiles()

it('leaves out what starts a process, itself or through what it imports', () => {
  const rule = 'Correct the rules in test/quick-file.ts, or this list if the file was moved.'
  expect(quick, rule).not.toContain('test/node/hosts/node/cli/cli.test.ts')
  expect(
    quick.filter((file) => file.includes('/postgres/') || file.includes('sabotage')),
    rule,
  ).toEqual([])
  expect(quick, rule).toContain('test/node/hosts/node/daybook.test.ts')
  expect(quick, rule).toContain('test/node/house/quick-file.test.ts')
  expect(quick.length, rule).toBeGreaterThan(90)
})

it.each(longNames)('leaves out what is called %s, of which there is some', (name) => {
  expect(
    globSync(`test/{node,sim}/**/${name}`, { cwd: root }),
    `Remove ${name} from \`longNames\` in test/quick-file.ts: no file has that name.`,
  ).not.toEqual([])
  expect(
    quick.filter((file) => posix.matchesGlob(posix.basename(file), name)),
    'Correct `quickFiles` in test/quick-file.ts.',
  ).toEqual([])
})
