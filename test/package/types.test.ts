// The package's types and its package.json, as other people's tools see them.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { expect, test } from 'vitest'
import { defined } from '../../src/core/defined.ts'
import { createApp, requireTarball } from './app.ts'

const bin = fileURLToPath(new URL('../../node_modules/', import.meta.url))

/** What a tool printed, and whether it was content. */
async function runTool(
  file: string,
  args: readonly string[],
  cwd?: string,
): Promise<{ output: string; passed: boolean }> {
  const options = defined({ cwd })
  return promisify(execFile)(process.execPath, [join(bin, file), ...args], options).then(
    ({ stdout }) => ({ output: stdout, passed: true }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ output: stdout + stderr, passed: false }),
  )
}

test('publint has nothing to say', async () => {
  const content = await readFile(requireTarball())
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(content).buffer }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('the types are not wrong', async () => {
  const attw = '@arethetypeswrong/cli/dist/index.js'
  const { output, passed } = await runTool(attw, [
    requireTarball(),
    '--profile',
    'esm-only',
    '--no-color',
    '--no-emoji',
  ])
  expect(passed, output).toBe(true)
})

test.each(['bundler', 'nodenext'])(
  'a strict compiler reads them with moduleResolution %s',
  async (resolution) => {
    await using app = await createApp([])
    const module = resolution === 'bundler' ? 'preserve' : 'nodenext'
    const { output } = await runTool(
      'typescript/bin/tsc',
      [
        '--noEmit',
        '--strict',
        '--target',
        'es2024',
        '--lib',
        'es2024,esnext.disposable,dom',
        '--types',
        '',
      ].concat(['--module', module, '--moduleResolution', resolution, 'typed.ts']),
      app.path,
    )
    expect(output).toBe('')
  },
)
