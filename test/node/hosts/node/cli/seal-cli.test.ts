// The keys of sensitive records on the command line: unlocking, taking them to another home, replacing them.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { ended, startDaybook } from '../command-line.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-seal-cli-'))
  await writeFile(at('own.txt'), 'correct horse battery\n')
  await writeFile(at('file.txt'), 'for the other home\n')
  await writeFile(at('wrong.txt'), 'not the passphrase\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)

const run = (home: string, args: readonly string[]) => ended(startDaybook([...args, '--home', at(home)]))

it('unlocks a memory, takes its keys to another home, replaces them, and exports what it is told to', async () => {
  const path = join(at('one'), 'agents/agent/memory/book.daybook')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  {
    await using book = await openDaybook({ name: 'agent', path, passphrase: 'correct horse battery' })
    await book.perceptions.store({ content: 'an elephant', sensitivity: 'sensitive' })
    await book.perceptions.store({ content: 'an elephant in clear' })
  }
  const recall = ['recall', 'elephant', '--json']
  const hits = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { hits: unknown[] }).hits.length
  expect(hits(await run('one', recall))).toBe(1)
  for (const command of [['recall', 'elephant'], ['query', '--type', 'perception'], ['stats']])
    expect((await run('one', command)).stderr).toContain('1 sealed record could not be read')
  const unlocked = ['--unlock-file', at('own.txt')]
  expect(hits(await run('one', [...recall, ...unlocked]))).toBe(2)
  const wrong = await run('one', [...recall, '--unlock-file', at('wrong.txt')])
  expect(wrong).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/^wrong-passphrase/) })

  const refused = await run('one', ['export-memory', '-o', '-', ...unlocked])
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/set --include-sensitive\./),
  })
  const without = await run('one', ['export-memory', '-o', '-', '--without-sensitive'])
  expect([
    without.code,
    without.stdout.includes('an elephant"'),
    without.stdout.includes('in clear'),
  ]).toEqual([0, false, true])

  const lost = await run('one', ['export-memory', '-o', at('nowhere/x.kstar'), '--without-sensitive'])
  expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining(`no folder ${at('nowhere')}`) })
  const env = { ...process.env, DAYBOOK_KEY: '' }
  const keyless = await ended(
    startDaybook(['sync', '--edge', 'http://127.0.0.1:9', '--home', at('one')], { env }),
  )
  expect(keyless).toMatchObject({ code: 2, stderr: expect.stringContaining('DAYBOOK_KEY is not set') })

  const keys = at('keys.json')
  const secret = ['--passphrase-file', at('file.txt')]
  expect((await run('one', ['export-keys', keys, ...secret, ...unlocked])).code).toBe(0)
  expect((await stat(keys)).mode & 0o777).toBe(0o600)
  expect(await readFile(keys, 'utf8')).toContain('"format":"daybook-keys"')
  const imported = await run('two', ['import-keys', keys, ...secret, '--json'])
  expect(JSON.parse(imported.stdout)).toMatchObject({ added: [expect.stringMatching(/^k_/)], unreadable: 0 })

  const damaged = await run('two', ['import-keys', at('file.txt'), ...secret])
  expect(damaged).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^invalid-file: .*file\.txt is not a file of keys/),
  })

  const rotated = await run('one', ['rotate-keys', '--json', ...unlocked])
  expect(JSON.parse(rotated.stdout)).toMatchObject({ state: 'open', others: [], toReseal: 0, sealed: 1 })
  expect(hits(await run('one', [...recall, ...unlocked]))).toBe(2)
}, 170_000)

it('an import where an earlier book left its keys uses them, and loses none', async () => {
  const pathIn = (home: string) => join(at(home), 'agents/agent/memory/book.daybook')
  const store = async (home: string, content: string) => {
    await mkdir(dirname(pathIn(home)), { recursive: true, mode: 0o700 })
    await using book = await openDaybook({ name: 'agent', path: pathIn(home) })
    await book.perceptions.store({ content, sensitivity: 'sensitive' })
    await book.tokens.grant({
      granted_to: 'helper',
      permissions: ['read'],
      scope: 'agent:helper',
      expires_at: '2999-01-01T00:00:00.000Z',
    })
  }
  await store('from', 'a giraffe')
  const bundle = ['export-memory', '-o', at('giraffe.kstar'), '--include-sensitive', '--yes']
  expect(await run('from', bundle)).toMatchObject({ code: 0 })
  await store('left', 'a zebra')
  const folder = dirname(pathIn('left'))
  await mkdir(at('aside'))
  for (const name of await readdir(folder))
    if (!/\.(?:key|vault|vault-key)$/.test(name)) await rename(join(folder, name), join(at('aside'), name))
  const keys = await readdir(folder)
  expect(keys.length).toBe(3)
  const identity = await readFile(`${pathIn('left')}.key`, 'utf8')

  expect(
    await run('left', ['import-memory', '--from', at('giraffe.kstar'), '--include-tokens', '--yes']),
  ).toMatchObject({ code: 0 })
  expect(await readFile(`${pathIn('left')}.key`, 'utf8')).toBe(identity)
  expect((await run('left', ['recall', 'giraffe', '--json'])).stdout).toContain('a giraffe')
  for (const name of await readdir(folder)) if (!keys.includes(name)) await rm(join(folder, name))
  for (const name of await readdir(at('aside'))) await rename(join(at('aside'), name), join(folder, name))
  expect((await run('left', ['recall', 'zebra', '--json'])).stdout).toContain('a zebra')

  for (const name of await readdir(folder)) if (!keys.includes(name)) await rm(join(folder, name))
  await writeFile(`${pathIn('left')}.vault-key`, 'not whole')
  const refused = await run('left', ['import-memory', '--from', at('giraffe.kstar')])
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${pathIn('left')}.vault-key. `) as string,
  })
  expect((await readdir(folder)).toSorted()).toEqual(keys.toSorted())
})

it('import-keys that fails leaves no memory, and names the file', async () => {
  const path = join(at('source'), 'agents/agent/memory/book.daybook')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await (await openDaybook({ name: 'agent', path })).close()
  const keys = at('source-keys.json')
  const secret = ['--passphrase-file', at('file.txt')]
  expect((await run('source', ['export-keys', keys, ...secret])).code).toBe(0)
  const newer = at('newer.json')
  await writeFile(newer, (await readFile(keys, 'utf8')).replace('"version":"1', '"version":"9'))

  const cases: readonly (readonly [args: readonly string[], code: number, stderr: RegExp])[] = [
    [
      [keys, ...secret, '--agent', 'X'],
      2,
      /source-keys\.json has the keys of the book `agent`.*--agent agent/,
    ],
    [[keys, '--passphrase-file', at('wrong.txt')], 3, /^wrong-passphrase: .*source-keys\.json/],
    [[at('wrong.txt'), ...secret], 3, /^invalid-file: .*wrong\.txt is not a file of keys/],
    [[newer, ...secret], 3, /^invalid-file: .*newer\.json is not a file of keys/],
    [[at('none.json'), ...secret], 2, /none\.json can't be read/],
  ]
  for (const [args, code, stderr] of cases) {
    expect(await run('third', ['import-keys', ...args])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(stderr) as string,
    })
    expect((await readdir(folder)).includes('third')).toBe(false)
  }
  expect((await run('third', ['import-keys', keys, ...secret])).code).toBe(0)
  expect((await readdir(dirname(path.replace('source', 'third')))).toSorted()).toEqual(
    expect.arrayContaining(['book.daybook', 'book.daybook.vault']),
  )
}, 170_000)
