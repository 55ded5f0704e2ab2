// A script of scripts/ in a process of its own, from the moment it has said that it is ready until it has ended.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs `scripts/<name>` and waits until it has printed all of `texts`. */
export async function runScript(
  name: string,
  env: Readonly<Record<string, string>>,
  texts: readonly string[],
): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, [`scripts/${name}`], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    let said = ''
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      if (texts.every((text) => said.includes(text))) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`scripts/${name} ended with ${code}:\n${said}`)))
  })
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
