import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { daybookContract } from '../../../contract/daybook.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

daybookContract('node:sqlite in a file', {
  hasRules: true,
  open: (name, options) =>
    openDaybook({
      // As in a page: words alone, unless a case names an embedder.
      embedder: { provider: 'none' },
      ...options,
      name,
      agent: 'contract',
      path: join(folder, `${name}.daybook`),
    }),
  async alter(name, statements) {
    using db = new DatabaseSync(join(folder, `${name}.daybook`))
    for (const statement of statements) db.exec(statement)
  },
})
