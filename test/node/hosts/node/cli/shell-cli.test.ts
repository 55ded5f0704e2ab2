// What a shell is given to complete lines of `daybook`, in the shells themselves, and tools called from one.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'daybook-shell-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const run = (...args: string[]) => ended(startDaybook([...args, '--home', home]))

describe('completion', () => {
  let script = ''
  beforeAll(async () => {
    script = (await run('completion', 'bash')).stdout
  })

  /** What bash offers for the last word of a line. */
  function offered(line: string): string[] {
    const asked = `${script}
      COMP_LINE=$1 COMP_POINT=\${#1}
      _daybook
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', asked, 'bash', line], {
      encoding: 'utf8',
      cwd: home,
    })
    expect([stderr, status]).toEqual(['', 0])
    return stdout.split('\n').filter((word) => word !== '')
  }

  it.each([
    ['daybook ex', ['export-memory', 'export-keys']],
    ['daybook recall --li', ['--limit']],
    ['daybook recall --limit ', []],
    ['daybook send ', ['kstar-memory']],
    // Bash has put what is before the colon there itself.
    ['daybook send kstar-memory kstar:store_tr', ['store_trace', 'store_traces']],
    ['daybook send --timeout 5 kstar-mem', ['kstar-memory']],
    ['daybook mcp c', ['call']],
    ['daybook mcp call katra_who', ['katra_whoami', 'katra_who_is_here']],
    ['daybook completion f', ['fish']],
    ['daybook archive v', ['verify']],
  ])('of `%s` is %j', (line, words) => {
    expect(offered(line).toSorted()).toEqual(words.toSorted())
  })

  it('names every command, and every option of each', async () => {
    const { stdout } = await run('--help')
    const names = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(20)
    expect(offered('daybook ').filter((word) => !word.startsWith('-'))).toEqual(names)
    const help = await run('mcp', '--help')
    const options = [...help.stdout.matchAll(/^ {2}(--[a-z-]+) /gm)].map(([, name = '']) => name)
    expect(offered('daybook mcp --').toSorted()).toEqual(options.toSorted())
  })

  it('is there for zsh and fish too, and for no shell that is not known', async () => {
    expect((await run('completion', 'zsh')).stdout).toContain('#compdef daybook')
    expect((await run('completion', 'fish')).stdout).toContain('complete -c daybook')
    expect(await run('completion', 'csh')).toMatchObject({ code: 2, stdout: '' })
    expect(await run('completion')).toMatchObject({ code: 2 })
  })
})

describe('`daybook mcp call`', () => {
  it('calls a tool as a model does, with arguments one by one or at once', async () => {
    const fact = ['--arg', 'schema=note', '--arg', 'data={"text":"the kettle is broken"}', '--json']
    const { stdout, code, stderr } = await run('mcp', 'call', 'store_fact', ...fact)
    expect([code, stderr]).toEqual([0, ''])
    const { id } = JSON.parse(stdout) as { id: string }
    const asked = JSON.stringify({ text: 'what is broken' })
    const found = await run('mcp', 'call', 'recall', '--args', asked, '--tools', 'recall')
    expect(found.stdout).toContain('the kettle is broken')
    const got = await run('mcp', 'call', 'get', '--arg', `ref=${id}`, '--json')
    expect(JSON.parse(got.stdout)).toMatchObject({ data: { text: 'the kettle is broken' } })
  })

  it('says what is wrong with it: exit code 2 for what was not understood, 1 for what was refused', async () => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['mcp', 'call'], 2, /takes the name of a tool/],
      [['mcp', 'call', 'no_such'], 2, /no tool `no_such`.*store_fact/],
      [['mcp', 'call', 'recall', '--arg', 'text'], 2, /<name>=/],
      [['mcp', 'call', 'recall', '--args', '[1]'], 2, /JSON object/],
      [['mcp', 'call', 'recall', '--args', '{'], 2, /not JSON/],
      [['mcp', 'call', 'recall', '--tools', 'pool'], 2, /no tool/],
      [['mcp', 'call', 'store_fact', '--arg', 'schema=note'], 2, /invalid-input.*data/],
      [['mcp', 'call', 'recall', '--arg', 'text=x', '--token', 'nobody'], 1, /unauthorized|forbidden/],
      [['mcp', 'cal'], 2, /takes no `cal`/],
    ]
    for (const [args, code, says] of cases) {
      const answer = await run(...args)
      expect([args, answer.code, answer.stdout]).toEqual([args, code, ''])
      expect(answer.stderr).toMatch(says)
    }
  })
})
