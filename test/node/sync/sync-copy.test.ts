// A database file that was copied: two devices of one name, or one that is set back. Both end with all there is.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { body, expectSame, id, losers, textOf } from '../../contract/mirror/mirror-case.ts'
import { createWorld, type DatabaseHost, type TestDevice } from '../../contract/mirror/mirror-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
const open = new Map<string, SqlDatabase>()
const pathOf = (name: string) => join(folder, `${name}.db`)
const close = (name: string) => {
  open.get(name)?.close()
  open.delete(name)
}
const host: DatabaseHost = {
  async within(name, work) {
    const db = open.get(name) ?? openNodeDatabase({ path: pathOf(name) })
    open.set(name, db)
    return work(db)
  },
  evict: (name) => Promise.resolve(close(name)),
}
afterEach(() => {
  for (const name of open.keys()) close(name)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isAtRest = async (device: TestDevice) =>
  expect(await device.state()).toMatchObject({ phase: 'idle', pending: 0, refused: 0, repairs: 0 })

it('M3 a file that lives on beside its copy: both send, neither loses anything, each has a name of its own', async () => {
  const world = createWorld(host, { name: 'beside' })
  const [a, copy] = [world.device('a'), world.device('copy')]
  await a.put('local_wins', id(1), body('before'))
  await a.sync()
  await a.put('local_wins', id(2), body('unsent when they parted'))
  await a.restart()
  copyFileSync(pathOf('beside-a'), pathOf('beside-copy'))
  await a.put('local_wins', id(3), body('of the first'))
  await copy.put('local_wins', id(4), body('of the copy'))
  await copy.put('local_wins', id(1), body('changed by the copy'))
  for (const device of [a, copy, a, copy]) await device.sync()
  await expectSame(a, copy, world.mirror)
  expect(Object.keys(await a.all())).toEqual([id(1), id(2), id(3), id(4)])
  expect(await textOf(a)).toBe('changed by the copy')
  expect(await losers(world.mirror)).toEqual([])
  expect(await a.look((store) => store.device)).not.toBe(await copy.look((store) => store.device))
  for (const device of [a, copy]) await isAtRest(device)
})

it('M3 M4 a file that was set back to a backup gets back what it had sent, and what it does next goes', async () => {
  const world = createWorld(host, { name: 'back' })
  const [a, b] = [world.device('a'), world.device('b')]
  await a.put('local_wins', id(1), body('one'))
  await a.sync()
  await a.restart()
  copyFileSync(pathOf('back-a'), join(folder, 'backup.db'))
  await a.put('local_wins', id(1), body('two'))
  await a.put('local_wins', id(2), body('new'))
  await a.sync()
  await a.forget(id(2))
  await a.put('local_wins', id(3), body('new, too'))
  await a.sync()
  await b.sync()
  await b.put('local_wins', id(1), body('three'))
  await b.sync()
  await a.restart()
  for (const end of ['-wal', '-shm']) rmSync(`${pathOf('back-a')}${end}`, { force: true })
  copyFileSync(join(folder, 'backup.db'), pathOf('back-a'))
  expect(await textOf(a)).toBe('one')
  await a.put('local_wins', id(4), body('after'))
  await a.sync()
  await b.sync()
  await expectSame(a, b, world.mirror)
  expect(Object.keys(await a.all())).toEqual([id(1), id(3), id(4)])
  expect(await textOf(a)).toBe('three')
  for (const device of [a, b]) await isAtRest(device)
})
