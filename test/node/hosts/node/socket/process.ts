// Other processes that open a book: each is a real one that stays until it is killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const entry = JSON.stringify(new URL('../../../../../src/hosts/node/index.ts', import.meta.url).href)

export interface OtherProcess {
  readonly child: ChildProcess
  /** The next line that it says. */
  line(): Promise<string>
  /** Has it say what `source` answers, an expression that may await and knows `book`. */
  run(source: string): Promise<unknown>
  kill(): Promise<void>
}

const started: OtherProcess[] = []

/** Opens the book at `path` in a process of its own. */
export async function startProcess(path: string, options: object = {}): Promise<OtherProcess> {
  const source = `
    import { createInterface } from 'node:readline'
    import { openDaybook } from ${entry}
    const book = await openDaybook(${JSON.stringify({ name: 'shared', path, ...options })})
    const say = (value) => process.stdout.write(JSON.stringify(value ?? null) + '\\n')
    say('open')
    for await (const line of createInterface({ input: process.stdin })) {
      const run = Object.getPrototypeOf(async () => {}).constructor('book', 'say', JSON.parse(line))
      run(book, say).then(say, (error) => say({ error }))
    }`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The process has ended.')
    return value
  }
  const other: OtherProcess = {
    child,
    line,
    async run(body) {
      child.stdin.write(`${JSON.stringify(body)}\n`)
      return JSON.parse(await line()) as unknown
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
  started.push(other)
  await line()
  return other
}

export async function killAll(): Promise<void> {
  for (const other of started.splice(0)) await other.kill()
}
