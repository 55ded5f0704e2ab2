// A pooler of the tests' own in front of their PostgreSQL: pgbouncer, which gives each transaction another connection.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { installDebian } from './install-debian.ts'

const program = '/usr/sbin/pgbouncer'

/** Why there is no pooler here; undefined when one can be started. */
export const missingPooler = (): string | undefined => installDebian(program, ['pgbouncer'])

/** A pooler of transactions before the server at `port`, for `user`, who needs no password. */
export async function startPooler(
  port: number,
  user: string,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const [uid, gid] = [id('-u'), id('-g')]
  const folder = mkdtempSync('/tmp/daybook-pgbouncer-')
  const own = await freePort()
  const [users, settings] = [join(folder, 'users'), join(folder, 'settings')]
  writeFileSync(users, `"${user}" ""\n`)
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
`,
  )
  for (const file of [folder, users, settings]) chownSync(file, uid, gid)
  const pooler = spawn(program, [settings], { uid, gid, cwd: folder, stdio: 'ignore' })
  await untilOpen(own, () => pooler.exitCode)
  return {
    port: own,
    async stop() {
      const ended = once(pooler, 'exit')
      pooler.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** It says nowhere when it is ready, so it is asked until it answers. */
async function untilOpen(port: number, exitCode: () => number | null): Promise<void> {
  for (;;) {
    if (exitCode() !== null) throw new Error(`pgbouncer ended with ${exitCode()}.`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
  }
}
