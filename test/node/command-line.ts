// The command line as a process of its own, with nobody at the terminal, and what came of it.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../src/hosts/node/cli.ts', import.meta.url))

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
