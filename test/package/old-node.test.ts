// The package on a Node that is too old for it: it says so, whatever of it is called first.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createApp } from './app.ts'

const run = promisify(execFile)

/** A Node of this machine that is too old, where it has one beside the one that runs the tests. */
async function findOldNode(): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((one) => !one.includes('node_modules'))
  for (const folder of folders) {
    const node = join(folder, 'node')
    const version = await run(node, ['-p', 'process.versions.node']).then(
      ({ stdout }) => stdout.trim().split('.').map(Number),
      () => undefined,
    )
    const [major = 0, minor = 0] = version ?? []
    if (version && (major < 22 || (major === 22 && minor < 16))) return node
  }
  return undefined
}

const oldNode = await findOldNode()
const message = /Daybook needs Node 22\.16, or 24 and newer, and this is v\d+\.\d+\.\d+\./

it('says in its manifest which Node it needs', async () => {
  await using app = await createApp([])
  const manifest = await readFile(join(app.path, 'node_modules/daybook/package.json'), 'utf8')
  expect(JSON.parse(manifest)).toMatchObject({ engines: { node: '^22.16.0 || >=24.0.0' } })
})

describe.runIf(oldNode !== undefined)('on an older Node', () => {
  const ended = async (args: readonly string[]) => {
    await using app = await createApp([])
    // Awaited, so that the app is there until it ended.
    return await run(oldNode ?? '', args, { cwd: app.path }).then(
      () => expect.unreachable('It ran.'),
      (error: { code: number; stderr: string }) => error,
    )
  }

  it.each([['--help'], ['serve'], ['mcp']])(
    '`daybook %s` says that this Node is too old, in one line',
    async (verb) => {
      const { code, stderr } = await ended(['node_modules/daybook/dist/cli.js', verb])
      expect(code).toBe(2)
      expect(stderr).toMatch(message)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    },
  )

  it('`daybook/node` rejects with an error that says it', async () => {
    const { stderr } = await ended([
      '-e',
      "import('daybook/node').catch((error) => { console.error(error.message); process.exit(1) })",
    ])
    expect(stderr).toMatch(message)
  })
})
