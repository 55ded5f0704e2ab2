// The package with the oldest and with the newest version of everything that its ranges allow, as npm installs them: what it
// depends on, Node, and the frameworks of its adapters.
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
type Ranges = Readonly<Record<string, string>>
const {
  dependencies: ranges,
  peerDependencies,
  engines,
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Ranges
  peerDependencies: Ranges
  engines: { readonly node: string }
}
/** `^1.2.3` and `>=1.2.3` begin at 1.2.3; npm finds the newest by itself. */
const startsOf = (some: Ranges): Ranges =>
  Object.fromEntries(Object.entries(some).map(([name, range]) => [name, range.replace(/^(?:[~^]|>=)/, '')]))
const oldest = startsOf({ ...ranges, node: engines.node.split(' ')[0] ?? '' })
/** The frameworks of adapters. */
const frameworks = Object.fromEntries(
  Object.entries(peerDependencies).filter(([name]) =>
    /^(?:@anthropic-ai|@langchain|@openai|@opentelemetry|@tanstack)\/|^ai$/.test(name),
  ),
)

/** An app in which npm installed the package and `dependencies`. Returns a function that runs a program of `app` there. */
async function install(dependencies: Ranges) {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-range-'))
  const all = { ...dependencies, daybook: `file:${requireTarball()}` }
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'app', private: true, type: 'module', dependencies: all }),
  )
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { version: string }>>
  }
  return {
    versionOf: (name: string) => packages[`node_modules/${name}`]?.version,
    async run(name: string): Promise<Readonly<Record<string, unknown>>> {
      const program = join(folder, name)
      await copyFile(fileURLToPath(new URL(`app/${name}`, import.meta.url)), program)
      const node = dependencies['node'] ? join(folder, 'node_modules/node/bin/node') : process.execPath
      const { stdout } = await run(node, [program], { cwd: folder })
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Readonly<Record<string, unknown>>
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

test.each<[string, Ranges]>([
  ['oldest', oldest],
  ['newest', {}],
])('works with the %s versions of what it needs', async (_end, pinned) => {
  await using app = await install(pinned)
  const versions = Object.keys(pinned).map((name) => [name, app.versionOf(name)])
  expect(Object.fromEntries(versions)).toEqual(pinned)
  const answer = await app.run('every-dependency.mjs')
  expect(answer).toMatchObject({
    id: 'string',
    hits: 1,
    homes: ['Porto'],
    imported: 1,
    help: true,
    serve: 'function',
  })
  expect(answer['tools']).toBeGreaterThan(0)
  expect(answer['node']).toBe(pinned['node'] ?? process.versions.node)
})

test.each<[string, Ranges]>([
  ['oldest', startsOf(frameworks)],
  ['newest', frameworks],
])('works with the %s versions of the frameworks of its adapters', async (end, versions) => {
  await using app = await install(versions)
  if (end === 'oldest')
    for (const [name, version] of Object.entries(versions))
      expect([name, app.versionOf(name)]).toEqual([name, version])
  expect(await app.run('every-adapter.mjs')).toEqual({
    anthropic: 'Lives in Lisbon.',
    saver: ['yes', 'no'],
    store: 'window',
    session: [1, true],
    'ai-sdk': ['I moved to Lisbon.', 'Noted.'],
    'tanstack-db': 1,
  })
})
