// Calls with arguments of a wrong form, as a program without types makes them, are refused with the place.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { DaybookClient as PageClient } from '../../../../src/doors/p3394/client.ts'
import { DaybookClient, listBooks, openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-misuse-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The error of a call that throws or rejects. */
const refusal = (call: () => unknown) => failure((async () => call())())
const wrong = (path: string) => ({ code: 'invalid-input', details: { path } })
// As a program without types passes it.
const as = (value: unknown) => value as never

it('a folder of books that is no option', async () => {
  for (const [options, path] of [
    ['folder', ''],
    [5, ''],
    [null, ''],
    [{ path: folder }, 'path'],
    [{ folder: 5 }, 'folder'],
  ] as const)
    expect(await refusal(() => listBooks(as(options)))).toMatchObject(wrong(path))
  const missing = join(folder, 'missing')
  expect(await refusal(() => listBooks({ folder: missing }))).toMatchObject({
    code: 'storage-failed',
    details: { path: missing },
  })
})

it.each([
  ['of a page', PageClient],
  ['of Node', DaybookClient],
])('a client %s', async (_where, Client) => {
  for (const [options, path] of [
    [{ bogus: 1 }, 'bogus'],
    [null, ''],
    [5, ''],
    [{ transports: [{}] }, 'transports.0.type'],
    [{ transports: [{ type: 'http' }] }, 'transports.0.send'],
    [{ source: 5 }, 'source'],
    [{ url: 5 }, 'url'],
  ] as const)
    expect(await refusal(() => new Client(as(options)))).toMatchObject(wrong(path))
  await using client = new Client()
  for (const [args, path] of [
    [[], 'agentId'],
    [['agent'], ''],
    [['agent', {}], 'transports'],
    [['agent', { transports: [], bogus: 1 }], 'bogus'],
  ] as const)
    expect(await refusal(() => client.register(...(args as unknown as [never, never])))).toMatchObject(
      wrong(path),
    )
  for (const [message, path] of [
    [undefined, ''],
    [{}, 'capability'],
    [{ capability: 5 }, 'capability'],
    [{ capability: 'kstar:get_trace', input: {} }, 'input'],
    [{ capability: 'kstar:get_trace', transport: 'pigeon' }, 'transport'],
  ] as const) {
    expect(await refusal(() => client.send(as(message)))).toMatchObject(wrong(path))
    expect(await refusal(() => client.deliver(as(message)))).toMatchObject(wrong(path))
  }
})

it('a tool without a name', async () => {
  await using book = await openDaybook({ name: 'b', path: ':memory:' })
  const tools = await book.tools({ format: 'openai' })
  expect(await tools.call(as(undefined))).toMatchObject({ isError: true, value: wrong('name') })
})

it('a locked stream to import', async () => {
  await using book = await openDaybook({ name: 'b', path: ':memory:' })
  const stream = new Blob(['text']).stream()
  stream.getReader()
  expect(await refusal(() => book.import(as(stream)))).toMatchObject(wrong('source'))
})
