// `daybook store` and `daybook forget`: one record in from the command line, a file or stdin, and one out for good.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cli, ended, startDaybook } from '../command-line.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-record-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (home: string, ...args: readonly string[]) =>
  ended(startDaybook([...args, '--home', join(folder, home)]))
const recordsOf = async (home: string) =>
  (JSON.parse((await run(home, 'query', '--json')).stdout) as { records: Record<string, unknown>[] }).records

const trace = { situation: {}, task: { goal: 'Explain limits' }, action: { type: 'explain' } }
const fact = { schema: 'note', data: { text: 'Ann likes tea' } }

it('stores a record from the command line, from a file and from stdin, in a memory that it makes', async () => {
  const said = await run('in', 'store', 'trace', JSON.stringify(trace))
  expect(said).toMatchObject({ code: 0, stderr: '' })
  await writeFile(join(folder, 'fact.json'), JSON.stringify(fact))
  const filed = await run('in', 'store', 'facts', `@${join(folder, 'fact.json')}`, '--json')
  expect(JSON.parse(filed.stdout)).toMatchObject({
    fact_id: expect.any(String),
    stored_at: expect.stringMatching(/^2/),
  })
  const piped = spawn(process.execPath, [cli, 'store', 'perception', '-', '--home', join(folder, 'in')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  piped.stdin.end(JSON.stringify({ subject: 'Ann', content: 'Learns by pictures', confidence: 0.7 }))
  expect(await ended(piped)).toMatchObject({ code: 0, stderr: '' })
  const records = await recordsOf('in')
  expect(records.map(({ kind }) => kind).toSorted()).toEqual(['fact', 'perception', 'trace'])
  expect(records.map(({ id }) => id)).toContain(said.stdout.trim())
  expect(records.find(({ kind }) => kind === 'trace')).toMatchObject({ situation: { domain: 'general' } })
})

it('remembers a text as what fits it, and says why', async () => {
  const remember = (...args: string[]) => run('remember', 'remember', ...args)
  const ofUser = await remember('I', 'live', 'in', 'Oslo.')
  expect(ofUser).toMatchObject({ code: 0, stderr: 'The user says something about themselves.\n' })
  expect(ofUser.stdout).toMatch(/^memory \S+\n$/)
  const about = await remember('Ships on Friday.', '--about', 'Harbour', '--json')
  expect(JSON.parse(about.stdout)).toMatchObject({ kind: 'perception', why: 'It has a subject.' })
  expect(await remember('Always answer in German.')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('rules.add'),
  })
  expect(await remember('x', '--as', 'fact')).toMatchObject({ code: 2, stdout: '' })
  expect(await recordsOf('remember')).toHaveLength(2)
})

it('stores once what is sent again under one id', async () => {
  const store = () => run('once', 'store', 'fact', JSON.stringify(fact), '--request-id', 'retry-1')
  const first = await store()
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(await store()).toEqual(first)
  expect(await recordsOf('once')).toHaveLength(1)
})

it('refuses a skill whose name is taken, and replaces it with --replace', async () => {
  const skill = (procedure: string) => JSON.stringify({ name: 'greet', definition: { procedure } })
  const store = (text: string, ...more: string[]) => run('skill', 'store', 'skill', skill(text), ...more)
  const procedures = async () =>
    (await recordsOf('skill')).map((record) => (record['definition'] as { procedure: string }).procedure)
  expect(await store('Say hello.')).toMatchObject({ code: 0, stderr: '' })
  const refused = await store('Say nothing.')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^conflict: Skill `greet` already exists; add --replace to change it\./)
  expect(await procedures()).toEqual(['Say hello.'])
  expect(await store('Say goodbye.', '--replace')).toMatchObject({ code: 0, stderr: '' })
  expect(await procedures()).toEqual(['Say goodbye.'])
})

it('replaces a perception of a used id only with --replace', async () => {
  const store = (content: string, ...more: string[]) =>
    run('used', 'store', 'perception', JSON.stringify({ id: 'p1', content }), ...more)
  expect(await store('Likes tea')).toMatchObject({ code: 0 })
  expect(await store('Likes milk')).toMatchObject({ code: 1, stderr: /add --replace/ })
  expect(await store('Likes milk', '--replace')).toMatchObject({ code: 0, stderr: '' })
  expect(await recordsOf('used')).toMatchObject([{ content: 'Likes milk' }])
})

it.each<[string, string[], RegExp]>([
  ['a fact to replace', ['store', 'fact', '{}', '--replace'], /--replace goes with a trace/],
  ['an order with an empty path', ['query', '--order', 'confidence,,'], /--order takes up to three paths/],
  ['an order with two signs', ['query', '--order=--x'], /--order takes up to three paths/],
  ['no kind', ['store'], /a kind first: trace/],
  ['a kind that there is not', ['store', 'wish', '{}'], /a kind first: trace/],
  ['no record', ['store', 'fact'], /one record/],
  ['two records', ['store', 'fact', '{}', '{}'], /one record/],
  ['what is no JSON', ['store', 'fact', 'tea'], /not JSON/],
  [
    'a file that there is not',
    ['store', 'fact', '@../nowhere.json'],
    /^\.\.\/nowhere\.json can't be read.*[^.]\.\nSee/,
  ],
  ['a record without what it needs', ['store', 'fact', '{"schema":"note"}'], /invalid-input: `data`/],
  ['no id', ['forget'], /the id of one record/],
])('says what is wrong with %s, with exit code 2', async (_what, args, message) => {
  const { code, stdout, stderr } = await run('wrong', ...args)
  expect(stderr).toMatch(message)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})

it('forgets a record once that was confirmed, and says when there is none', async () => {
  const { stdout } = await run('out', 'store', 'fact', JSON.stringify(fact))
  const id = stdout.trim()
  expect(await run('out', 'forget', id)).toMatchObject({ code: 2, stderr: /--yes/ })
  expect(await recordsOf('out')).toHaveLength(1)
  expect(await run('out', 'forget', id, '--yes')).toMatchObject({ code: 0, stdout: `Forgot ${id}.\n` })
  expect(await recordsOf('out')).toEqual([])
  expect(await run('out', 'forget', id)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`There is no ${id} here.`) as string,
  })
})

it('makes no memory to forget in', async () => {
  expect(await run('none', 'forget', 'x')).toMatchObject({ code: 1, stderr: /has no memory here/ })
  expect(existsSync(join(folder, 'none'))).toBe(false)
})
