// A PostgreSQL of the tests' own: Debian's, on a free port, in a folder of its own, stopped and removed afterwards.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { installDebian } from './install-debian.ts'

export interface TestPostgres {
  /** The address of its database, as a superuser, who is not bound by row-level security. */
  readonly url: string
  readonly port: number
  readonly folder: string
  stop(): Promise<void>
}

const versions = '/usr/lib/postgresql'

/** Why there is no PostgreSQL here; undefined when one can be started. */
export function findPostgres(): { readonly bin: string } | { readonly missing: string } {
  if (process.getuid?.() !== 0) return { missing: 'only root may act as the user `postgres`' }
  const missing = installDebian(versions, ['postgresql'])
  if (missing !== undefined) return { missing }
  const [version = ''] = readdirSync(versions).sort((a, b) => Number(b) - Number(a))
  return { bin: join(versions, version, 'bin') }
}

export async function startPostgres(bin: string, settings: readonly string[] = []): Promise<TestPostgres> {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const [uid, gid] = [id('-u'), id('-g')]
  const folder = mkdtempSync('/tmp/daybook-postgres-')
  chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  // The rest of the environment is not PostgreSQL's business, but the runner finds its processes by their mark.
  const { PATH, DAYBOOK_RUN } = process.env
  const as = { uid, gid, cwd: folder, env: { PATH, DAYBOOK_RUN, LC_ALL: 'C.UTF-8' } }
  const data = join(folder, 'data')
  const port = await freePort()
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'daybook', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...as, stdio: 'ignore' },
  )
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      'max_connections = 200',
      // A crash of the machine is not what is tested.
      'fsync = off',
      ...settings,
    ].join('\n'),
  )
  const server = spawn(join(bin, 'postgres'), ['-D', data], { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (text: Buffer) => {
      said += text.toString()
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
  })
  return {
    url: `postgres://daybook@127.0.0.1:${port}/postgres`,
    port,
    folder,
    async stop() {
      await new Promise<void>((resolve) => {
        server.once('exit', () => resolve())
        // Immediate: what it has is thrown away.
        server.kill('SIGQUIT')
      })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
