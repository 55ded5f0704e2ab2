// Opening with options that are none: told before a file is touched, with what was meant.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type NodeBookOptions, openDaybook, serveEmbed, serveMirrors } from '../../../src/hosts/node/index.ts'
import { unknownSettingWarnings } from '../../../src/edge/edge-env.ts'
import { failure } from '../../contract/book-case.ts'

const sync = { url: 'https://mirror.example', key: 'a-key-of-some-length' }
const path = join(tmpdir(), `never-made-${process.pid}.daybook`)

it.each([
  [{ durability: 'Strict' }, 'durability', 'strict'],
  [{ embeder: { provider: 'lsa' } }, 'embeder', 'embedder'],
  [{ embedder: { provider: 'lsa', dimension: 64 } }, 'embedder.dimension', 'dimensions'],
  [{ llm: { provider: 'api', url: 'https://x/v1', modle: 'm' } }, 'llm.modle', 'model'],
  [{ llm: { provider: 'browser' } }, 'llm.provider', undefined],
  [{ sync: { ...sync, trigers: 'manual' } }, 'sync.trigers', 'triggers'],
  [{ sync: { ...sync, triggers: { on_wakes: true } } }, 'sync.triggers.on_wakes', 'on_wake'],
  [{ sync: { ...sync, triggers: { onAction: true } } }, 'sync.triggers.onAction', 'on_action'],
  [
    { sync: { ...sync, triggers: { periodic: { intervall: '1h' } } } },
    'sync.triggers.periodic.intervall',
    'interval',
  ],
  [{ sync: { ...sync, policies: { trace: 'last_writer_wins' } } }, 'sync.policies.trace', 'last_write_wins'],
  [{ sync: { url: sync.url } }, 'sync.key', undefined],
  [{ sync: { ...sync, live: 'yes' } }, 'sync.live', undefined],
  [{ checkpoint: 'no' }, 'checkpoint', undefined],
  [{ textIndexInMemory: 0 }, 'textIndexInMemory', undefined],
  [{ onUnavailable: 'memory' }, 'onUnavailable', undefined],
  [{ pool: { carriers: 'x' } }, 'pool.carriers', undefined],
  [{ pool: { carriers: [null] } }, 'pool.carriers.0', undefined],
  [{ pool: { carriers: [{}] } }, 'pool.carriers.0.name', undefined],
  [{ pool: { carriers: [{ name: 'c' }] } }, 'pool.carriers.0.open', undefined],
] as [object, string, string | undefined][])('a book is not opened with %j', async (options, at, meant) => {
  const error = await failure(openDaybook({ name: 'b', path, ...options } as NodeBookOptions))
  expect(error).toMatchObject({ code: 'invalid-input', details: { path: at } })
  expect(error.details['meant']).toBe(meant)
  expect(existsSync(path)).toBe(false)
})

it('a carrier that does not open is named, and the book stops all that it began', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carrier-'))
  const warnings: string[] = []
  const listen = ({ message }: Error) => void warnings.push(message)
  process.on('warning', listen)
  const closed: string[] = []
  const carrierOf = (name: string, open: () => void) => ({
    name,
    open,
    send: async () => undefined,
    close: () => void closed.push(name),
  })
  const carriers = [
    carrierOf('good', () => undefined),
    carrierOf('bad', () => {
      throw new TypeError('no broker')
    }),
  ]
  const options = { name: 'b', path: join(folder, 'b.daybook') }
  try {
    for (const share of [true, false]) {
      const error = await failure(openDaybook({ ...options, share, pool: { carriers } }))
      expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'pool.carriers.1.open' } })
      expect(error.message).toContain('TypeError: no broker.')
    }
    expect(closed).toEqual(['good', 'good'])
    await setTimeout(1500)
    expect(warnings).toEqual([])
    // The file is free again.
    await using book = await openDaybook(options)
    expect((await book.status()).degraded ?? []).toEqual([])
  } finally {
    process.off('warning', listen)
    rmSync(folder, { recursive: true })
  }
})

it('is not opened without any', async () => {
  const error = await failure(openDaybook(undefined as never))
  expect(error).toMatchObject({ code: 'invalid-input', details: { path: '' } })
})

it('no server is begun with options that are none', async () => {
  const wrong = [
    failure(serveMirrors({ database: 'postgres://x', conections: 3 } as never)),
    failure(serveMirrors({ database: 'postgres://x', settings: { DAYBOOK_RAET: '1/1' } } as never)),
    failure(serveEmbed({ embedder: { provider: 'http', url: 'https://x' }, prot: 1 } as never)),
  ]
  expect(
    (await Promise.all(wrong)).map(({ code, details }) => [code, details['path'], details['meant']]),
  ).toEqual([
    ['invalid-input', 'conections', 'connections'],
    ['invalid-input', 'settings.DAYBOOK_RAET', 'DAYBOOK_RATE'],
    ['invalid-input', 'prot', 'port'],
  ])
})

it('variables that look like settings of an edge are named, and never what they are set to', () => {
  const said = unknownSettingWarnings({
    DAYBOOK_RAET: 'secret',
    DAYBOOK_RATE: '1/1',
    OTHER: 'secret',
    AI: {},
  })
  expect(said).toHaveLength(1)
  expect(said[0]).toContain('Did you mean `DAYBOOK_RATE`?')
  expect(said.join()).not.toContain('secret')
})
