// `daybook send` as a process: what it prints, how it ends, and that it works while another process has the book.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { storeTraceMessage } from '../../../../contract/seed-shape/specification-data.ts'
import { ended, startDaybook } from '../command-line.ts'

const home = mkdtempSync(join(tmpdir(), 'daybook-send-'))
const path = join(home, 'agents', 'agent', 'memory', 'book.daybook')
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(home, { recursive: true, force: true })
})

const send = (...args: string[]) => ended(startDaybook(['send', ...args, '--home', home]))
const content = JSON.stringify(storeTraceMessage.content[0].data)
const asked = ['kstar-memory', 'kstar:store_trace', '--content', content, '--request-id', 'once']

it('stores over each way while another process holds the book, under one id once, and says how it went', async () => {
  const first = await send(...asked)
  expect([first.code, first.stderr]).toEqual([0, ''])
  const answer = JSON.parse(first.stdout) as object
  expect(answer).toMatchObject({ trace_id: expect.any(String) as string })
  await using book = await openDaybook({ name: 'agent', path })
  for (const transport of ['direct', 'unix_socket', 'mcp_stdio']) {
    const { code, stdout } = await send(...asked, '--transport', transport, '--json')
    expect([code, JSON.parse(stdout)]).toEqual([0, { answer, transportUsed: transport, failedOver: [] }])
  }
  expect((await book.traces.count()).total).toBe(1)
  // Any verb there is, from a file too.
  const file = join(home, 'asked.json')
  writeFileSync(file, JSON.stringify({ text: 'recursion' }))
  const { code, stdout } = await send('kstar-memory', 'daybook:recall', '--content', `@${file}`)
  expect([code, (JSON.parse(stdout) as { hits: object[] }).hits.length]).toEqual([0, 1])
})

it('ends with 1 for what is refused, 2 for what is not understood, 4 when no way leads to the agent', async () => {
  // It takes the message and never answers.
  const silent = createServer((socket) => socket.resume())
  servers.push(silent)
  const socket = join(home, 'silent.sock')
  await new Promise<void>((resolve) => silent.listen(socket, resolve))
  const elsewhere = ['other', 'x:y', '--socket']
  const ways: [number, RegExp, string[]][] = [
    [1, /^unknown-capability: /, ['kstar-memory', 'kstar:none']],
    [1, /^deadline-exceeded: /, [...elsewhere, socket, '--timeout', '1']],
    [2, /takes an agent and a capability/, ['kstar-memory']],
    [2, /--transport takes one of direct/, [...asked, '--transport', 'pigeon']],
    [2, /--content is not JSON/, ['kstar-memory', 'kstar:get_trace', '--content', '{']],
    [2, /^invalid-input: `situation`/, ['kstar-memory', 'kstar:store_trace', '--content', '{}']],
    [2, /Say how to reach other/, ['other', 'x:y']],
    [4, /^no-transport: /, [...elsewhere, join(home, 'none.sock')]],
    [4, /^no-transport: /, ['other', 'x:y', '--url', 'http://127.0.0.1:9']],
  ]
  // One after another: a process that joins another one's book is not the matter here.
  const results: Awaited<ReturnType<typeof send>>[] = []
  for (const [, , args] of ways) results.push(await send(...args))
  expect(results.map(({ code }) => code)).toEqual(ways.map(([code]) => code))
  for (const [i, [, text]] of ways.entries()) expect(results[i]?.stderr).toMatch(text)
  expect(results.map(({ stdout }) => stdout)).toEqual(ways.map(() => ''))
})

it('sends no key to another machine without encryption', async () => {
  const env = { ...process.env, DAYBOOK_KEY: 'dbk1.very-secret-key' }
  const args = ['send', 'other', 'x:y', '--url', 'http://daybook.invalid', '--home', home]
  const { code, stderr } = await ended(startDaybook(args, { env }))
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--url.*https/s)])
})
