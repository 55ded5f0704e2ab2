// `npm run new` in a copy of the working tree: the files it writes keep the house, and a wrong name writes nothing.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeBinary, root } from '../../../scripts/place.mjs'

let copy = ''
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'daybook-new-'))
  const parts = ['src', 'worker', 'demo', 'docs', 'scripts', 'test', '.oxlintrc.json', '.prettierrc.json']
  const files = globSync('*.{md,json,toml}', { cwd: root })
  for (const one of [...parts, ...files])
    cpSync(join(root, one), join(copy, one), { recursive: true, filter: (path) => !path.endsWith('/dist') })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const run = (...args: string[]) => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('VITEST')))
  return spawnSync(nodeBinary, args, { cwd: copy, encoding: 'utf8', env: { ...env, NO_COLOR: '1' } })
}
const create = (...args: string[]) => run('scripts/new/new.mjs', ...args)
const read = (path: string) => readFileSync(join(copy, path), 'utf8')
const house = [
  'CHANGELOG.md',
  'src/README.md',
  'src/engine/capability-table.ts',
  'src/commons/inbox/inbox.ts',
  'src/commons/inbox/inbox-base.ts',
  'src/sync/SPEC.md',
]
const state = () => house.map(read)

describe('npm run new', () => {
  it.each([
    ['verb', 'inbox', 'is not the path of a verb'],
    ['verb', 'Inbox.count', 'is not the path of a verb'],
    ['verb', 'inbox.send', 'is a verb already: src/commons/inbox/inbox.ts'],
    ['verb', 'nowhere.count', 'No verb begins with'],
    ['kind', 'letter', 'is not the name of a kind'],
    ['kind', 'inbox/Letter', 'is not the name of a kind'],
    ['kind', 'inbox/message', 'is a kind already'],
    ['kind', 'room/letter', 'No chapter `room` has kinds. Choose one of '],
    ['chapter', 'commons/inbox', 'is there already'],
    ['chapter', 'commons/Notes', 'is not the place of a chapter'],
    ['room', 'notes', 'Use: npm run new'],
  ])('writes nothing for %s %s', (sort, name, message) => {
    const before = state()
    const { status, stderr } = create(sort, name)
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(state()).toEqual(before)
  })

  it('prints the files with --dry-run', () => {
    const before = state()
    const { status, stdout } = create('verb', 'inbox.example', '--dry-run')
    expect(status).toBe(0)
    expect(stdout).toContain("id: 'inbox:example'")
    expect(state()).toEqual(before)
  })

  it(
    'writes a verb, a kind and a chapter that keep the house, with tests that say what to fill in',
    { timeout: 300_000 },
    () => {
      for (const args of [
        ['verb', 'inbox.example'],
        ['kind', 'inbox/letter'],
        ['chapter', 'commons/example'],
      ]) {
        const { status, stdout, stderr } = create(...args)
        expect([status, stderr]).toEqual([0, ''])
        const written = [...stdout.matchAll(/^wrote (\S+)$/gm)].map(([, path = '']) => path)
        expect(written.length).toBeGreaterThan(4)
        const prettier = run('node_modules/prettier/bin/prettier.cjs', '--check', ...written)
        expect(prettier.stderr).toBe('')
      }
      expect(read('test/contract/access/verb-right.ts')).toContain("'inbox:example': 'read'")
      expect(read('docs/rights.md')).toContain('`inbox:example`')
      expect(read('test/node/doors/manifest-hash.json')).toContain('inbox:example')
      const walls = run('scripts/walls/check-walls.mjs')
      expect([walls.status, walls.stderr]).toEqual([0, ''])
      const tests = [
        'house/papers',
        'house/sync-spec',
        'house/id-prefix',
        'engine/later-chapters',
        'doors/manifest',
        'inbox-example',
        'letter-kind',
        'example-chapter',
      ]
      const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
      const tried = run(...vitest, '--project', 'node-quick', ...tests)
      const failures = [...tried.stderr.matchAll(/^AssertionError: (.*)$/gm)].map(([, message]) => message)
      expect(new Set(failures)).toEqual(
        new Set([
          'Fill in `inbox:example` in src/commons/inbox/inbox.ts, test it in test/contract, and remove this file.',
          'Fill in the kind of src/commons/inbox/letter-kind.ts, test it in test/contract, and remove this file.',
          'Write the verbs of src/commons/example/example.ts, test them in test/contract, and remove this file.',
        ]),
      )
    },
  )
})
