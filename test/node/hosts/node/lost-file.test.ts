// A book whose file is no book any more, beside a whole checkpoint: it comes back, and the status says so.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-lost-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const losses: Readonly<Record<string, (path: string) => void>> = {
  'is gone': (path) => rmSync(path),
  'has no byte': (path) => truncateSync(path),
  'has one byte': (path) => truncateSync(path, 1),
  'is a text': (path) => writeFileSync(path, 'Another program wrote this.'),
  'is a database without tables': (path) => {
    rmSync(path)
    using db = new DatabaseSync(path)
    db.exec('VACUUM')
  },
  'is a database of another program': (path) => {
    rmSync(path)
    using db = new DatabaseSync(path)
    db.exec('CREATE TABLE notes (text)')
  },
}

it.concurrent.for(Object.keys(losses))(
  'comes back from its checkpoint where the file %s',
  async (loss, { expect }) => {
    const path = join(folder, `${loss.replaceAll(' ', '-')}.daybook`)
    const open = () => openDaybook({ name: 'lost', path })
    {
      await using book = await open()
      await book.perceptions.store({ id: 'one', content: 'The harbour is closed' })
      await expect
        .poll(async () => (await book.status()).checkpointAt, { timeout: 30_000 })
        .toEqual(expect.any(String))
    }
    losses[loss]?.(path)
    await using book = await open()
    expect(await book.records.get({ id: 'one' })).toMatchObject({ content: 'The harbour is closed' })
    expect((await book.status()).degraded).toEqual([
      expect.stringContaining('1 records came back from the checkpoint'),
    ])
  },
)
