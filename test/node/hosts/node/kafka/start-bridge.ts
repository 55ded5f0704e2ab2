// `daybook kafka` as a process of its own, and what it says of itself.
import { createInterface } from 'node:readline'
import { ended, startDaybook } from '../command-line.ts'

/** One line of what it says. */
export interface Said {
  readonly event: string
  readonly received: number
  readonly sent: number
  readonly lag?: number
  readonly results: Readonly<Record<string, number>>
  readonly health?: string
}

export interface BridgeOptions {
  readonly broker: string
  readonly group: string
  /** The folder of its book. */
  readonly home: string
  /** More arguments, and what its environment has beside that of the tests. */
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

export interface Bridge extends AsyncDisposable {
  readonly child: ReturnType<typeof startDaybook>
  readonly end: ReturnType<typeof ended>
  /** The next line that `fits`. */
  said(fits: (line: Said) => boolean): Promise<Said>
}

export function startBridge({ broker, group, home, args = [], env = {} }: BridgeOptions): Bridge {
  const own = ['kafka', '--brokers', broker, '--group', group, '--create-topics', '--home', home, '--json']
  const child = startDaybook([...own, '--every', '1', ...args], { env: { ...process.env, ...env } })
  const end = ended(child)
  // Asked by hand: a loop that is left ends the lines.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    end,
    async said(fits) {
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) break
        const one = JSON.parse(value) as Said
        if (fits(one)) return one
      }
      const { code, stderr } = await end
      throw new Error(`It has ended with ${code}: ${stderr}`)
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await end
    },
  }
}
