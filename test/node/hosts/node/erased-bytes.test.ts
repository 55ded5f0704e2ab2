import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { erasedBytesContract } from '../../../contract/port/erased-bytes.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-erased-'))
afterAll(() => rmSync(folder, { recursive: true }))
let opened = 0

erasedBytesContract('node:sqlite', async () => {
  const name = `${++opened}.sqlite3`
  return {
    db: openNodeDatabase({ path: join(folder, name) }),
    bytes: async () =>
      Buffer.concat(
        readdirSync(folder)
          .filter((file) => file.startsWith(name))
          .map((file) => readFileSync(join(folder, file))),
      ),
  }
})
