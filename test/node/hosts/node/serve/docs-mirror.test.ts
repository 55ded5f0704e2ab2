// What README.md and docs/ show of sync is run as it stands, against `daybook serve`.
import { afterAll, beforeAll, describe, it } from 'vitest'
import { expectProgram, programsWithMirror } from '../../../book/doc-world.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

describe.skipIf(skipped !== '')(`the pages in Node, with a mirror${skipped}`, () => {
  const { key, start, open, close } = createServeWorld()
  beforeAll(open)
  afterAll(close)

  it.each(programsWithMirror)('$page: $title', async (program) => {
    const { url } = await start()
    await expectProgram(program, { 'https://memory.example.com': url, 'THE-KEY-OF-YOUR-EDGE': key })
  })
})
