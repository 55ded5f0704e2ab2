// Whatever a book leaves on a disk is for its owner alone, under every umask, and what others could read is narrowed.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { makeOwnFolder, openOwnFile } from '../../../../src/hosts/node/port/private-file.ts'
import { makeTrace } from '../../../support/trace.ts'
import { ended } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-private-'))
afterAll(() => rmSync(folder, { recursive: true }))
let places = 0
const newPlace = () => {
  const place = join(folder, String(++places))
  mkdirSync(place)
  return place
}
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const script = fileURLToPath(new URL('leave-files.ts', import.meta.url))

interface Step {
  readonly step: string
  readonly modes: Readonly<Record<string, string>>
}

async function leaveFiles(umask: string): Promise<Step[]> {
  const { code, stdout, stderr } = await ended(
    spawn(process.execPath, ['--no-warnings', script, umask, newPlace()], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Step)
}

const folders = ['made', 'made/by', 'made/by/it']
const files = ['', '-wal', '.checkpoint', '.checkpoint-wal', '.key', '.vault', '.vault-key']

describe.concurrent.each(['000', '022', '777'])('under umask %s', (umask) => {
  it('files are their owner’s, and folders that are made for them', async () => {
    const steps = await leaveFiles(umask)
    expect(steps.map(({ step }) => step)).toEqual(['open', 'narrowed', 'mended', 'closed', 'copy'])
    for (const { step, modes } of steps) {
      expect(Object.keys(modes).length).toBeGreaterThan(0)
      for (const [name, mode] of Object.entries(modes))
        expect([step, name, mode]).toEqual([step, name, folders.includes(name) ? '700' : '600'])
    }
    const [first, , mended] = steps
    const names = files.map((suffix) => `made/by/it/b.daybook${suffix}`)
    expect(Object.keys(first?.modes ?? {})).toEqual(expect.arrayContaining([...folders, ...names]))
    expect(Object.keys(mended?.modes ?? {}).filter((name) => name.includes('.damaged-'))).not.toEqual([])
  })
})

it('narrows a book that is reached by a link, and its log beside it', async () => {
  const place = newPlace()
  const [path, link] = [join(place, 'real.daybook'), join(place, 'link.daybook')]
  await (await openDaybook({ name: 'b', path })).close()
  chmodSync(path, 0o644)
  symlinkSync(path, link)
  await using book = await openDaybook({ name: 'b', path: link })
  await book.traces.store(makeTrace())
  expect([modeOf(path), modeOf(`${path}-wal`)]).toEqual(['600', '600'])
  const [target, ahead] = [join(place, 'target.daybook'), join(place, 'ahead.daybook')]
  symlinkSync(target, ahead)
  await using fresh = await openDaybook({ name: 'b', path: ahead })
  await fresh.traces.store(makeTrace())
  expect([modeOf(target), modeOf(`${target}-wal`)]).toEqual(['600', '600'])
})

it('leaves alone what is another’s: other files of the folder, and the folder', async () => {
  const place = newPlace()
  chmodSync(place, 0o755)
  const others = ['b.daybook.notes', 'b.daybook2', 'a.daybook', 'b.daybook.key.pub']
  for (const name of others) {
    writeFileSync(join(place, name), name)
    chmodSync(join(place, name), 0o644)
  }
  await (await openDaybook({ name: 'b', path: join(place, 'b.daybook') })).close()
  expect(others.map((name) => modeOf(join(place, name)))).toEqual(others.map(() => '644'))
  expect(modeOf(place)).toBe('755')
})

it('keeps a second opening in this process from letting go of the first', async () => {
  const path = join(newPlace(), 'b.daybook')
  await using book = await openDaybook({ name: 'b', path })
  chmodSync(path, 0o644)
  await expect(openDaybook({ name: 'b', path, share: false })).rejects.toMatchObject({
    code: 'open-elsewhere',
  })
  expect(modeOf(path)).toBe('600')
  // SQLite's locks are the process's: closing another handle of the file would have dropped them.
  const source = `
    import { DatabaseSync } from 'node:sqlite'
    const db = new DatabaseSync(${JSON.stringify(path)})
    db.exec('SELECT count(*) FROM sqlite_master')`
  const other = await ended(
    spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  expect(other.stderr).toMatch(/database is locked/)
  await book.traces.store(makeTrace())
})

it('says that others could read the keys of a book', async () => {
  const path = join(newPlace(), 'b.daybook')
  const first = await openDaybook({ name: 'b', path })
  await first.tokens.grant({ scope: '**', permissions: [], granted_to: 'x', expires_at: '2099-01-01' })
  await first.close()
  chmodSync(`${path}.key`, 0o640)
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  await (await openDaybook({ name: 'b', path })).close()
  expect((await warned).message).toMatch(/could read keys of this book/)
  expect(modeOf(`${path}.key`)).toBe('600')
})

it('makes folders and files that were not there, and no others', async () => {
  const place = newPlace()
  chmodSync(place, 0o755)
  makeOwnFolder(join(place, 'a/b/c'))
  makeOwnFolder(join(place, 'a/b/c'))
  expect(['', 'a', 'a/b', 'a/b/c'].map((name) => modeOf(join(place, name)))).toEqual([
    '755',
    '700',
    '700',
    '700',
  ])
  const file = await openOwnFile(join(place, 'a/file'))
  await file.writeFile('text')
  await file.close()
  expect(modeOf(join(place, 'a/file'))).toBe('600')
  await expect(openOwnFile(join(place, 'a/file'))).rejects.toMatchObject({ code: 'EEXIST' })
  expect(readFileSync(join(place, 'a/file'), 'utf8')).toBe('text')
  expect(readdirSync(join(place, 'a')).toSorted()).toEqual(['b', 'file'])
})
