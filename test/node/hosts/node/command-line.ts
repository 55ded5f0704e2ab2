// The command line as a process of its own, with nobody at the terminal, and what came of it. It is started as one file, as
// it is published: its sources are 200, which each process would read.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { rolldown } from 'rolldown'
import { withBuiltWorker } from '../../../../scripts/bundle-plugin.mjs'
import { root } from '../../../../scripts/place.mjs'

/** The same sources make the same file, so that Node finds what it compiled of it before. */
async function bundle(): Promise<string> {
  const made = await rolldown({
    cwd: root,
    input: 'src/hosts/node/cli.ts',
    platform: 'neutral',
    external: /^(?:[^./]|node:)/,
    plugins: [withBuiltWorker()],
  })
  const { output } = await made.generate({ format: 'es', codeSplitting: false })
  await made.close()
  const { code } = output[0]
  const folder = join(root, '.cache/command-line')
  const file = join(folder, `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`)
  await mkdir(folder, { recursive: true })
  // Other files of tests may write them too, or have them in use already.
  await copyFile(join(root, 'assets/meaning.bin'), `${file}.${process.pid}.bin`)
  await rename(`${file}.${process.pid}.bin`, join(folder, 'meaning.bin'))
  await writeFile(`${file}.${process.pid}`, code)
  await rename(`${file}.${process.pid}`, file)
  return file
}

/** The command line as one file. */
export const cli = await bundle()

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts `daybook <args>`; `node` are flags of Node's, `env` is the whole environment. */
export function startDaybook(
  args: readonly string[],
  { env = process.env, node = [] }: { env?: NodeJS.ProcessEnv; node?: readonly string[] } = {},
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [...node, cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
}

/** Waits for the end of a process that was just started. */
export async function ended(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (stdout += part))
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
