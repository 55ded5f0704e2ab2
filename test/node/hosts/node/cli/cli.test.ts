// The command line as a process: what it prints, where, with which exit code, and what it leaves behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, watch, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrajectory } from '../../../../support/made-trajectory.ts'
import { ended, startDaybook } from '../command-line.ts'

const filler = fileURLToPath(new URL('../../../store/record/fill-book.ts', import.meta.url))
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-cli-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const bookOf = (home: string) => join(at(home), 'agents/agent/memory/book.daybook')

/** Runs `daybook <args>` with nobody at the terminal. */
function daybook(
  args: readonly string[],
  { home, node = [] }: { home?: string; node?: readonly string[] } = {},
) {
  const own = home === undefined ? [] : ['--home', at(home)]
  return startDaybook([...args, ...own], { node })
}
const run = (...rest: Parameters<typeof daybook>) => ended(daybook(...rest))

async function fill(home: string, count: number, length: number): Promise<void> {
  const { code, stderr } = await ended(
    spawn(process.execPath, [filler, bookOf(home), String(count), String(length)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  expect(stderr).toBe('')
  expect(code).toBe(0)
}

describe('daybook', { timeout: 170_000 }, () => {
  it('leaves no book behind where an import failed or was only tried', async () => {
    await writeFile(at('no.kstar'), '{"format":"kstar-bundle","version":"1.0.0","memory":{"traces":[')
    await writeFile(at('try.traj'), makeTrajectory())
    await writeFile(at('pass.txt'), 'a long enough passphrase\n')
    const bundle = ['import-memory', '--from', at('no.kstar')]
    const tries = [
      [bundle, 3],
      [[...bundle, '--dry-run'], 3],
      [[...bundle, '--passphrase-file', at('pass.txt')], 3],
      [['import-memory', '--from', at('try.traj'), '--dry-run'], 0],
    ] as const
    for (const [args, code] of tries) {
      expect((await run(args, { home: 'none' })).code).toBe(code)
      await expect(stat(at('none'))).rejects.toThrow('ENOENT')
    }
    expect((await run(['stats'], { home: 'none' })).stderr).toContain('has no memory here')
    expect(await run(['import-memory', '--from', at('try.traj')], { home: 'none' })).toMatchObject({
      code: 0,
    })
    expect(await readdir(join(bookOf('none'), '..'))).toEqual(['book.daybook', 'book.daybook.reserve'])
    const again = await run(bundle, { home: 'none' })
    expect(again.code).toBe(3)
    expect(JSON.parse((await run(['stats', '--json'], { home: 'none' })).stdout)).toMatchObject({ total: 3 })
  })

  it('imports a file, and answers questions about it', async () => {
    await writeFile(at('fix.traj'), makeTrajectory())
    const imported = await run(['import-memory', '--from', at('fix.traj'), '--json'], { home: 'one' })
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(imported.stdout)).toMatchObject({ imported: 3, skipped: 0 })
    const recalled = await run(
      ['recall', 'missing', 'colon', '--types', 'traces', '--limit', '1', '--json'],
      { home: 'one' },
    )
    expect(JSON.parse(recalled.stdout).hits).toHaveLength(1)
    const queried = await run(['query', '{"result.success":false}', '--type', 'trace'], { home: 'one' })
    expect(queried.stdout.trim().split('\n')).toHaveLength(1)
    const stats = await run(['stats', '--json'], { home: 'one' })
    expect(JSON.parse(stats.stdout)).toMatchObject({ total: 3 })
    expect((await stat(bookOf('one'))).mode & 0o777).toBe(0o600)
    for (const part of ['', 'agents', 'agents/agent', 'agents/agent/memory']) {
      expect((await stat(join(at('one'), part))).mode & 0o777, part).toBe(0o700)
    }
  })

  it('exports to a file of its owner, verifies it, and imports it elsewhere', async () => {
    const exported = await run(['export-memory', '--output', at('one.kstar')], { home: 'one' })
    expect(exported).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `3 records written to ${at('one.kstar')}\n`,
    })
    expect((await stat(at('one.kstar'))).mode & 0o777).toBe(0o600)
    const piped = await run(['export-memory', '--output', '-'], { home: 'one' })
    expect(JSON.parse(piped.stdout).memory).toEqual(
      JSON.parse(await readFile(at('one.kstar'), 'utf8')).memory,
    )
    const verified = await run(['verify-bundle', at('one.kstar'), '--json'])
    expect(JSON.parse(verified.stdout)).toMatchObject({ counts: { trace: 3 }, encrypted: false })
    const copied = await run(['import-memory', '--from', at('one.kstar'), '--json'], { home: 'two' })
    expect(JSON.parse(copied.stdout)).toMatchObject({ format: 'kstar-bundle', imported: 3 })
    const some = await run(['export-memory', '--types', 'facts,skills', '--json'], { home: 'two' })
    const { output } = JSON.parse(some.stdout)
    expect(output).toContain(join('two', 'agents', 'agent', 'export'))
    expect(Object.keys(JSON.parse(await readFile(output, 'utf8')).memory)).toEqual(['facts', 'skills'])
  })

  it('encrypts and signs, and says so with exit code 3 when a bundle is not sound', async () => {
    await writeFile(at('secret.txt'), 'a long enough passphrase\n')
    const secret = ['--passphrase-file', at('secret.txt')]
    const sealed = at('sealed.kstar')
    const exported = await run(['export-memory', '--encrypt', ...secret, '--sign', '-o', sealed], {
      home: 'one',
    })
    expect(exported.code).toBe(0)
    const verified = await run(['verify-bundle', sealed, ...secret, '--json'])
    const { signedBy } = JSON.parse(verified.stdout)
    expect(signedBy).toMatch(/^did:key:/)
    const { stdout: shown } = await run(['verify-bundle', sealed, ...secret])
    expect(shown.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^exported .*, encrypted$/),
      `signed by ${signedBy}`,
      '  trace 3',
      '',
    ])
    await run(['export-memory', '--types', 'facts', '-o', at('none.kstar')], { home: 'one' })
    expect((await run(['verify-bundle', at('none.kstar')])).stdout).toMatch(/\nnot signed\n {2}no records\n$/)
    expect((await run(['verify-bundle', sealed, ...secret, '--signed-by', 'did:key:zNobody'])).code).toBe(3)
    expect(await run(['verify-bundle', sealed])).toMatchObject({ code: 3, stdout: '', stderr: /passphrase/ })
    const text = await readFile(at('one.kstar'), 'utf8')
    await writeFile(at('torn.kstar'), text.slice(0, -10))
    const torn = await run(['import-memory', '--from', at('torn.kstar')], { home: 'three' })
    expect(torn).toMatchObject({ code: 3, stdout: '' })
    expect((await run(['stats'], { home: 'three' })).stderr).toContain('has no memory here')
    const open = ['import-memory', '--from', at('one.kstar'), ...secret]
    expect(await run(open, { home: 'three' })).toMatchObject({ code: 3, stderr: /^not-encrypted: / })
  })

  it('asks before replacing and before tokens leave; refuses where nobody can answer', async () => {
    const replace = ['import-memory', '--from', at('one.kstar'), '--replace']
    expect(await run(replace, { home: 'one' })).toMatchObject({ code: 2, stderr: /--yes/ })
    expect(await run(['export-memory', '--include-tokens'], { home: 'one' })).toMatchObject({
      code: 2,
      stderr: /--yes/,
    })
    const done = await run([...replace, '--yes', '--json'], { home: 'one' })
    expect(JSON.parse(done.stdout).bundle).toMatchObject({ mode: 'replace', unchanged: 3, forgotten: 0 })
    expect((await run([...replace, '--dry-run'], { home: 'one' })).code).toBe(0)
  })

  it.each<[string, string[], RegExp]>([
    ['no command it knows', ['help!'], /no command `help!`/],
    ['an unknown command', ['explode'], /no command `explode`/],
    ['an unknown option', ['stats', '--explode'], /--explode/],
    ['an operand too many', ['stats', 'all'], /takes no `all`/],
    ['no file', ['import-memory'], /--from <file>/],
    ['a passphrase nobody needs', ['export-memory', '--passphrase-file', 'x'], /--encrypt/],
    ['a wrong number', ['query', '--limit', 'many'], /whole number/],
    ['a wrong agent', ['stats', '--agent', '../other'], /--agent/],
    ['an unknown type', ['export-memory', '--types', 'wishes', '--home', '.'], /./],
  ])('says what is wrong with %s, with exit code 2', async (_what, args, message) => {
    const { code, stdout, stderr } = await run(args, args.includes('--home') ? {} : { home: 'one' })
    expect(stderr).toMatch(message)
    expect(stdout).toBe('')
    expect([1, 2]).toContain(code)
    if (_what !== 'an unknown type') expect(code).toBe(2)
  })

  it('has help for each command, and exit code 1 for what failed', async () => {
    expect(await ended(daybook([]))).toMatchObject({ code: 2, stdout: '', stderr: /export-memory/ })
    for (const name of ['export-memory', 'import-memory', 'verify-bundle', 'recall', 'query', 'stats']) {
      const { code, stdout } = await run([name, '--help'])
      expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(`daybook ${name}`)])
    }
    expect(await run(['stats'], { home: 'nowhere' })).toMatchObject({ code: 1, stderr: /no memory here/ })
  })

  describe('a book far larger than its heap', () => {
    beforeAll(() => fill('large', 8000, 10_000), 170_000)

    it('is exported, and imported', async () => {
      const node = ['--max-old-space-size=40']
      const output = at('large.kstar')
      expect(await run(['export-memory', '-o', output], { home: 'large', node })).toMatchObject({
        code: 0,
        stderr: '',
      })
      expect((await stat(output)).size).toBeGreaterThan(80_000_000)
      const imported = await run(['import-memory', '--from', output, '--json'], { home: 'copy', node })
      expect(JSON.parse(imported.stdout)).toMatchObject({ imported: 8000 })
    })

    it('leaves no part of a file when its export is interrupted', async () => {
      const part = nextPartFile()
      const cut = daybook(['export-memory', '-o', at('cut.kstar')], { home: 'large' })
      const name = await part
      cut.kill('SIGINT')
      expect((await ended(cut)).code).toBe(130)
      expect(name).toContain('cut.kstar')
      expect((await readdir(folder)).filter((one) => one.startsWith('cut.kstar'))).toEqual([])
    })

    it('is exported into a pipe that its reader closes', async () => {
      const reader = daybook(['export-memory', '-o', '-'], { home: 'large' })
      reader.stdout?.once('data', () => reader.stdout?.destroy())
      let complaint = ''
      reader.stderr?.setEncoding('utf8').on('data', (part: string) => (complaint += part))
      const [code] = (await once(reader, 'exit')) as [number]
      expect([code, complaint]).toEqual([0, ''])
    })
  })
})

/** The name of the next file that an export begins to write. Call it before the export. */
async function nextPartFile(): Promise<string> {
  for await (const { filename } of watch(folder)) if (filename?.endsWith('.part')) return filename
  throw new Error('The folder is gone.')
}
