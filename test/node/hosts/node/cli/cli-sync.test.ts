// `daybook sync` and `dead-letters` as processes, against `daybook serve`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrace } from '../../../../support/trace.ts'
import { ended, startDaybook } from '../command-line.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from '../serve/serve-world.ts'

const { key, closing, start, run, open, close } = createServeWorld()

function daybook(home: string, args: readonly string[], own = key) {
  const env = { ...process.env, DAYBOOK_KEY: own }
  return ended(startDaybook([...args, '--home', home, '--agent', 'tutor'], { env }))
}

describe.skipIf(skipped !== '')(`Syncing on the command line${skipped}`, { timeout: 170_000 }, () => {
  beforeAll(open)
  afterAll(close)

  it('fetches and sends, shows what was refused for good, and sends it again when told to', async () => {
    const { url } = await start()
    const home = await mkdtemp(join(tmpdir(), 'daybook-sync-'))
    closing.push(() => rm(home, { recursive: true }))
    await run({ url, book: 'tutor' }, 'kstar:store_trace', makeTrace())
    const made = await run({ url, book: 'tutor' }, 'daybook:create_access_key', {
      name: 'narrow',
      permissions: ['sync'],
      push: ['perception'],
    })
    const place = ['--edge', url]
    const first = await daybook(home, ['sync', ...place])
    expect(first).toMatchObject({ code: 0, stdout: 'Sent 0, fetched 2, 0 in conflict.\n' })
    const memory = join(home, 'memory.json')
    expect((await daybook(home, ['export-memory', '--output', memory, '--yes'])).code).toBe(0)
    const other = await mkdtemp(join(tmpdir(), 'daybook-sync-'))
    closing.push(() => rm(other, { recursive: true }))
    expect((await daybook(other, ['import-memory', '--from', memory, '--yes'])).code).toBe(0)
    const narrow = String(made.body['key'])
    const refused = await daybook(other, ['sync', '--book', 'elsewhere', ...place], narrow)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('unauthorized')
    expect(await daybook(other, ['dead-letters'])).toMatchObject({
      code: 0,
      stdout: 'There are no dead letters.\n',
    })
    const sent = await daybook(other, ['sync', ...place], narrow)
    expect(sent.code).toBe(0)
    expect(sent.stderr).toContain('1 refused for good')
    const letters = await daybook(other, ['dead-letters'])
    expect(letters.stdout).toMatch(/^\S+ {2}trace {2}forbidden: The key may not send `trace`\..*\n$/)
    const retried = await daybook(other, ['dead-letters', '--retry', '--json'])
    expect((JSON.parse(retried.stdout) as { retried: string[] }).retried).toHaveLength(1)
    const again = await daybook(other, ['sync', '--json', ...place])
    expect(JSON.parse(again.stdout)).toMatchObject({ pending: 0, refused: 0 })
    expect(await daybook(other, ['dead-letters'])).toMatchObject({
      code: 0,
      stdout: 'There are no dead letters.\n',
    })
    const offline = await daybook(other, ['sync', '--edge', 'http://127.0.0.1:1'])
    expect(offline.code).toBe(1)
    expect(offline.stderr).toContain('offline')
    expect((await daybook(other, ['sync'])).code).toBe(2)
    expect((await daybook(other, ['sync', '--edge', 'http://example.org'])).code).toBe(2)
  })

  it('syncs sealed records with a book of another name than the agent, before and after', async () => {
    const { url } = await start()
    const folder = await mkdtemp(join(tmpdir(), 'daybook-sync-'))
    closing.push(() => rm(folder, { recursive: true }))
    const [home, other] = [join(folder, 'one'), join(folder, 'two')]
    const store = (content: string) =>
      daybook(home, ['store', 'perception', JSON.stringify({ content, sensitivity: 'restricted' })])
    const sync = (at: string) => daybook(at, ['sync', '--edge', url, '--book', 'shared-tutor'])
    const count = async (at: string) => {
      const { stdout } = await daybook(at, ['recall', 'harbour', '--json'])
      return (JSON.parse(stdout) as { hits: unknown[] }).hits.length
    }
    expect(await store('the first harbour')).toMatchObject({ code: 0 })
    expect(await sync(home)).toMatchObject({ code: 0, stderr: '' })
    expect(await count(home)).toBe(1)
    expect(await store('the second harbour')).toMatchObject({ code: 0 })
    expect(await sync(home)).toMatchObject({ code: 0, stderr: '' })
    expect(await count(home)).toBe(2)
    expect(await sync(other)).toMatchObject({ code: 0, stderr: '' })
    const file = join(folder, 'keys.json')
    const words = join(folder, 'words.txt')
    await writeFile(words, 'for the other home\n')
    expect(await daybook(home, ['export-keys', file, '--passphrase-file', words])).toMatchObject({ code: 0 })
    expect(await daybook(other, ['import-keys', file, '--passphrase-file', words])).toMatchObject({ code: 0 })
    expect(await count(other)).toBe(2)
    const erase = ['erase', '--edge', url, '--book', 'shared-tutor', '--confirm', 'shared-tutor']
    expect(await daybook(home, erase)).toMatchObject({ code: 0, stderr: '' })
  })

  it('takes the file of an editor’s memory as --book, and a book at the edge as --at', async () => {
    const { url } = await start()
    const folder = await mkdtemp(join(tmpdir(), 'daybook-file-'))
    closing.push(() => rm(folder, { recursive: true }))
    const [file, other] = [join(folder, 'workspace.daybook'), join(folder, 'other.sqlite')]
    const at = (book: string, ...args: string[]) =>
      ended(
        startDaybook([...args, '--book', book, '--home', join(folder, 'home')], {
          env: { ...process.env, DAYBOOK_KEY: key },
        }),
      )
    const edge = ['--edge', url, '--at', 'workspace']
    const remembered = await at(file, 'mcp', 'call', 'remember', '--arg', 'text=Ann likes tea', '--json')
    const { ref } = JSON.parse(remembered.stdout) as { ref: string }
    expect(await at(file, 'sync', ...edge)).toMatchObject({ code: 0, stderr: '' })
    expect(await at(other, 'sync', ...edge)).toMatchObject({
      code: 0,
      stdout: 'Sent 0, fetched 1, 0 in conflict.\n',
    })
    expect((await at(other, 'recall', 'tea', '--words')).stdout).toContain(ref)
    expect((await at(other, 'dead-letters')).stdout).toBe('There are no dead letters.\n')
    const sent = await at(other, 'send', 'kstar-memory', 'kstar:get_stats', '--json')
    expect(JSON.parse(sent.stdout)).toMatchObject({ answer: { perception_count: 1 } })
    const doctored = await at(other, 'doctor', '--url', url, '--at', 'workspace', '--json')
    expect(doctored.stdout).toContain('other.sqlite')
    expect(doctored.stdout).toContain('the book workspace with it')
    // The same as --at: there is no such file here.
    const byName = ['sync', '--edge', url, '--book', 'workspace', '--agent', 'third', '--home', folder]
    const third = await ended(startDaybook(byName, { env: { ...process.env, DAYBOOK_KEY: key } }))
    expect(third).toMatchObject({ code: 0, stdout: 'Sent 0, fetched 1, 0 in conflict.\n' })
    const confirm = ['--confirm', 'workspace']
    expect(await at(file, 'erase', ...edge, ...confirm)).toMatchObject({
      code: 0,
      stdout: 'Erased workspace, here and at its mirror.\n',
    })
    expect(await at(file, 'stats')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no memory there/),
    })
    expect(await at(other, 'start-over', ...edge, ...confirm)).toMatchObject({
      code: 0,
      stdout: 'Sent 1, fetched 0.\n',
    })
    expect(await at(other, 'erase', '--confirm', 'agent')).toMatchObject({ code: 0 })
  })
})
