// The edge as `npm start` runs it, in workerd behind a real port, with settings of a test's own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devEdge, quietWrangler, root } from '../../scripts/place.mjs'
import { freePort } from '../support/server/free-port.ts'

export interface RunningEdge extends AsyncDisposable {
  readonly port: number
  /** The folder of its objects. */
  readonly state: string
  /** Ends it; its folder stays until it is disposed. */
  stop(): Promise<void>
}

export async function startEdge(settings: Readonly<Record<string, string>>): Promise<RunningEdge> {
  const port = await freePort()
  const state = mkdtempSync(join(tmpdir(), 'daybook-edge-'))
  const vars = Object.entries(settings).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const args = [...devEdge({ ip: '127.0.0.1', port, 'persist-to': state }), ...vars]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    env: {
      ...process.env,
      ...quietWrangler,
    },
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (said += part))
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`The edge ended with ${child.exitCode}:\n${said}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const ended = once(child, 'exit')
  const stop = async () => {
    // It leads a group of its own: workerd goes with it.
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  }
  return {
    port,
    state,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(state, { recursive: true, force: true })
    },
  }
}
