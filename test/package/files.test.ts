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
  const own = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'package.json',
    'plugins/.claude-plugin/marketplace.json',
    'plugins/daybook/.claude-plugin/plugin.json',
    'plugins/daybook/.mcp.json',
    'plugins/daybook/hooks/hooks.json',
    'server.json',
    'src/README.md',
    'src/doors/http/a2p/WIRE.md',
    'src/doors/p3394/WIRE.md',
    'src/recall/RANKING.md',
    'src/sync/SPEC.md',
  ]
  expect(files.filter((file) => !file.startsWith('dist/')).toSorted()).toEqual([...own, ...guide].toSorted())
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(guide.filter((page) => !readme.includes(`](${page})`))).toEqual([])
})

test('its bill of materials names every package that is inside it or installed with it', async () => {
  const { stdout } = await promisify(execFile)('tar', [
    '-xOzf',
    requireTarball(),
    'package/dist/sbom.cdx.json',
  ])
  const { stdout: licences } = await promisify(execFile)('tar', [
    '-xOzf',
    requireTarball(),
    'package/dist/licenses.txt',
  ])
  const { components, dependencies } = JSON.parse(stdout) as {
    components: { name: string; version: string; hashes: unknown[]; properties: { value: string }[] }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const listed = new Set(components.map(({ name, version }) => `${name} ${version}`))
  const inside = [...licences.matchAll(/^((?:@\S+\/)?\S+ \d+\.\d+\.\S+) \(/gm)].map(([, one = '']) => one)
  expect(inside.length).toBeGreaterThan(3)
  expect(inside.filter((one) => !listed.has(one))).toEqual([])
  const { dependencies: own } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  expect(dependencies[0]?.dependsOn).toHaveLength(Object.keys(own).length)
  expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([])
})
