// What README.md and docs/ show is run in Node as it stands: every section of a page with code for it.
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import * as daybook from '../../../src/hosts/node/index.ts'
import { openerOf, type Program, programsOf, runProgram, wholeOf } from '../../support/doc-program.ts'
import { skipped } from '../hosts/node/postgres/postgres-world.ts'
import { createServeWorld } from '../hosts/node/serve/serve-world.ts'

const pages = ['README.md', ...globSync('docs/*.md', { cwd: root }).toSorted()]
const programs = pages.flatMap((page) =>
  programsOf(readFileSync(join(root, page), 'utf8'), 'Node').map((program) => ({ page, ...program })),
)
const readme = { page: 'README.md', ...wholeOf(readFileSync(join(root, 'README.md'), 'utf8'), 'Node') }
const ofMirror = ({ needsMirror }: Program) => needsMirror

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-docs-'))
})
afterAll(() => rm(folder, { recursive: true }))

let serial = 0
async function runHere(program: Program, instead: Readonly<Record<string, string>> = {}): Promise<void> {
  const own = `docs-${++serial}`
  const opener = openerOf(daybook.openDaybook, ({ name, path }) => {
    const book = `${own}-${name}`
    return { name: book, path: path ?? join(folder, `${book}.daybook`) }
  })
  const module = { ...daybook, openDaybook: opener.open }
  try {
    const printed = await runProgram(program, {
      modules: { daybook: module, 'daybook/node': module },
      instead: { 'my-files/': `${join(folder, own)}-`, ...instead },
    })
    for (const { said, promised } of printed) expect({ said }).toMatchObject({ said: promised })
  } finally {
    await opener.close()
  }
}

describe('the pages in Node', () => {
  it.each([readme, ...programs.filter((program) => !ofMirror(program))])('$page: $title', (program) =>
    runHere(program),
  )
})

describe.skipIf(skipped !== '')(`the pages in Node, with a mirror${skipped}`, () => {
  const { key, start, open, close } = createServeWorld()
  beforeAll(open)
  afterAll(close)

  it.each(programs.filter(ofMirror))('$page: $title', async (program) => {
    const { url } = await start()
    await runHere(program, { 'https://memory.example.com': url, 'THE-KEY-OF-YOUR-EDGE': key })
  })
})
