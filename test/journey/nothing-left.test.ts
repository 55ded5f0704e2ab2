// Nothing that `npm start`, `npm run preview` or `npm test` started outlives it, whichever of its processes is killed, or if its terminal is closed.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { root } from '../../scripts/place.mjs'
import { freePort } from '../support/server/free-port.ts'
import { missingPooler } from '../support/server/pgbouncer.ts'
import { findPostgres } from '../support/server/postgres.ts'
import { findIn, type Listed, treeOf, untilGone } from './process-tree.ts'

/** Waits until the process has said all of `texts`. */
function said(child: ChildProcess, texts: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let all = ''
    const hear = (part: Buffer) => {
      all += part.toString()
      if (texts.every((text) => all.includes(text))) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${all}`)))
  })
}

/** Runs `npm …`, in a terminal of its own or in none, until it has said all of `texts`; then it and all that it started. */
async function begin(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { texts, inTerminal }: { texts: readonly string[]; inTerminal: boolean },
): Promise<Listed[]> {
  const [program, ...rest] = inTerminal
    ? ['script', '--quiet', '--flush', '--command', `npm ${args.join(' ')}`, '/dev/null']
    : ['npm', ...args]
  const child = spawn(program as string, rest, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: [inTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // As a terminal begins its commands: signals to the tests' own group do not reach it.
    detached: true,
  })
  await said(child, texts)
  return treeOf(child.pid as number)
}

async function expectFree(port: number): Promise<void> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  expect(server.listening).toBe(false)
}

/** Who may be killed, by their command; the terminal began all others. */
const victims = {
  npm: /^npm /,
  script: /^\S*node \S*scripts\/(start|preview|run-tests)\.mjs/,
  guardian: /^\S*node \S*scripts\/guard\/guardian\.mjs/,
  wrangler: /^\S*node \S*wrangler\.js dev/,
  vite: /^\S*node \S*vite\.js demo/,
  vitest: /^\S*node \S*vitest\.mjs run/,
  terminal: /^script /,
}

type Victim = keyof typeof victims

/** Linux has the `script` that is understood here. */
const terminal: Victim[] = process.platform === 'linux' ? ['terminal'] : []

const kill = (tree: readonly Listed[], victim: Victim) =>
  process.kill(findIn(tree, victims[victim]).pid, 'SIGKILL')

it.each<Victim>(['npm', 'script', 'wrangler', 'vite', ...terminal])(
  'npm start leaves nothing behind when this is killed: %s',
  async (victim) => {
    const [demo, edge] = await Promise.all([freePort(), freePort()])
    const state = mkdtempSync(join(tmpdir(), 'daybook-edge-'))
    onTestFinished(() => rmSync(state, { recursive: true, force: true }))
    const env = { DEMO_PORT: String(demo), EDGE_PORT: String(edge), EDGE_STATE: state }
    const tree = await begin(['start'], env, {
      texts: [`http://127.0.0.1:${demo}`, `http://127.0.0.1:${edge}`],
      inTerminal: victim === 'terminal',
    })
    expect(findIn(tree, /workerd serve/).pid).toBeGreaterThan(0)
    kill(tree, victim)
    await untilGone(tree)
    await Promise.all([demo, edge].map(expectFree))
  },
)

it('npm run preview leaves nothing behind when its script is killed', async () => {
  const port = await freePort()
  const state = mkdtempSync(join(tmpdir(), 'daybook-preview-'))
  onTestFinished(() => rmSync(state, { recursive: true, force: true }))
  const env = { PREVIEW_PORT: String(port), PREVIEW_STATE: state }
  const tree = await begin(['run', 'preview'], env, {
    texts: [`http://127.0.0.1:${port}`],
    inTerminal: false,
  })
  expect(findIn(tree, /workerd serve/).pid).toBeGreaterThan(0)
  kill(tree, 'script')
  await untilGone(tree)
  await expectFree(port)
})

/** `npm test` on a file that stands still, once a test of it has begun. */
async function beginTest(hang: string, inTerminal: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-run-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const env = {
    DAYBOOK_HANG: hang,
    DAYBOOK_HANG_PORT: String(port),
    DAYBOOK_TEST_REPORT: join(folder, 'report.json'),
  }
  const args = ['test', '--', '--config', 'test/hanging.config.ts']
  return { port, tree: await begin(args, env, { texts: ['Begun: stands still'], inTerminal }) }
}

it.each<Victim>(['npm', 'script', 'vitest', ...terminal])(
  'npm test leaves nothing behind when this is killed: %s',
  async (victim) => {
    const { port, tree } = await beginTest('for-ever', victim === 'terminal')
    expect(findIn(tree, /--type=renderer/).pid).toBeGreaterThan(0)
    kill(tree, victim)
    await untilGone(tree)
    await expectFree(port)
  },
)

const postgres = findPostgres()
const missing = 'missing' in postgres ? postgres.missing : missingPooler()

it('npm test guards itself again when its guardian is killed', async () => {
  const { tree } = await beginTest('for-ever', false)
  kill(tree, 'guardian')
  const again = await vi.waitFor(() => {
    const now = treeOf((tree[0] as Listed).pid)
    expect(findIn(now, victims.guardian).pid).not.toBe(findIn(tree, victims.guardian).pid)
    return now
  })
  kill(again, 'script')
  await untilGone(again)
})

it.skipIf(missing)(
  `npm test leaves no database behind when it is killed${missing === undefined ? '' : `: ${missing}`}`,
  async () => {
    const { tree } = await beginTest('servers', false)
    const [, data = ''] = /-D (\S+)/.exec(findIn(tree, /bin\/postgres -D/).command) ?? []
    onTestFinished(() => rmSync(dirname(data), { recursive: true, force: true }))
    const { command } = findIn(tree, /pgbouncer/)
    onTestFinished(() => rmSync(dirname(command.split(' ').at(-1) ?? ''), { recursive: true, force: true }))
    kill(tree, 'vitest')
    await untilGone(tree)
    expect(existsSync(join(data, 'PG_VERSION'))).toBe(true)
  },
)
