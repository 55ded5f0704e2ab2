// The package with the oldest and with the newest version of everything that its ranges allow, Node too, as npm installs them.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../scripts/place.mjs'
import { requireTarball } from '../package/app.ts'

const run = promisify(execFile)
const { dependencies: ranges, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Readonly<Record<string, string>>
  engines: { readonly node: string }
}
/** `^1.2.3` begins at 1.2.3; npm finds the newest by itself. */
const oldest = Object.fromEntries(
  Object.entries({ ...ranges, node: engines.node.split(' ')[0] ?? '' }).map(([name, range]) => [
    name,
    range.replace(/^[~^]/, ''),
  ]),
)

test.each<[string, Readonly<Record<string, string>>]>([
  ['oldest', oldest],
  ['newest', {}],
])('works with the %s versions of what it needs', async (_end, pinned) => {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-range-'))
  try {
    const dependencies = { ...pinned, daybook: `file:${requireTarball()}` }
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'app', private: true, type: 'module', dependencies }),
    )
    await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
    const installed = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { version: string }>>
    }
    const versions = Object.entries(pinned).map(([name]) => [
      name,
      installed.packages[`node_modules/${name}`]?.version,
    ])
    expect(Object.fromEntries(versions)).toEqual(pinned)
    const program = join(folder, 'every-dependency.mjs')
    await copyFile(fileURLToPath(new URL('app/every-dependency.mjs', import.meta.url)), program)
    const node = pinned['node'] ? join(folder, 'node_modules/node/bin/node') : process.execPath
    const { stdout } = await run(node, [program], { cwd: folder })
    const answer = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { tools: number; node: string }
    expect(answer).toMatchObject({
      id: 'string',
      hits: 1,
      homes: ['Porto'],
      imported: 1,
      help: true,
      serve: 'function',
    })
    expect(answer.tools).toBeGreaterThan(0)
    expect(answer.node).toBe(pinned['node'] ?? process.versions.node)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
