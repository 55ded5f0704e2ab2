// Options that are refused leave no file of a book, and no folder.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type NodeBookOptions, openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-refused-option-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sync = { url: 'https://edge.example', key: 'key' }
const refused: Readonly<Record<string, unknown>> = {
  'sync.url': { sync: { ...sync, url: 'http://edge.example' } },
  'sync.key': { sync: { ...sync, key: 'a key' } },
  'sync.push.0': { sync: { ...sync, push: ['dreams'] } },
  'sync.pull.1': { sync: { ...sync, pull: ['traces', 'dreams'] } },
  'sync.policies.dreams': { sync: { ...sync, policies: { dreams: 'merge' } } },
  'sync.triggers.periodic.interval': { sync: { ...sync, triggers: { periodic: { interval: 'often' } } } },
  'sync.triggers.on_action.kinds.0': { sync: { ...sync, triggers: { on_action: { kinds: ['dreams'] } } } },
  passphrase: { passphrase: 'short' },
  'pool.carriers.0.name': { pool: { carriers: [{}] } },
}

it.each(Object.keys(refused))('%s', async (path) => {
  for (const share of [true, false]) {
    const options = { name: 'b', path: join(folder, 'made/b.daybook'), share, ...(refused[path] as object) }
    const error = await failure(openDaybook(options as NodeBookOptions))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
    expect(readdirSync(folder)).toEqual([])
  }
})
