// What a stranger finds in the package beside its code: the papers that the README leads to, and nobody else's.
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../scripts/place.mjs'
import { requireTarball } from './app.ts'

test('the guide and the protocol of sync are in it', async () => {
  const { stdout } = await promisify(execFile)('tar', ['-tzf', requireTarball()])
  const files = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^package\//, ''))
  const guide = globSync('docs/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  // npm takes every README on the way to a file along, whatever `files` says.
  const own = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'src/README.md', 'src/sync/SPEC.md']
  expect(files.filter((file) => !file.startsWith('dist/')).toSorted()).toEqual([...own, ...guide].toSorted())
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(guide.filter((page) => !readme.includes(`](${page})`))).toEqual([])
})
