// The programs of README.md and docs/ that run in Node, and a folder of their own for each run of one.
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import * as across from '../../../src/book/across/across.ts'
import * as message from '../../../src/doors/message/message.ts'
import * as daybook from '../../../src/hosts/node/index.ts'
import { openerOf, type Program, programsOf, runProgram, wholeOf } from '../../support/doc-program.ts'

const read = (page: string) => readFileSync(join(root, page), 'utf8')
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root }).toSorted()]
const programs = [
  { page: 'README.md', ...wholeOf(read('README.md'), 'Node') },
  ...pages.flatMap((page) => programsOf(read(page), 'Node').map((program) => ({ page, ...program }))),
]

export const programsAlone = programs.filter(({ needsMirror }) => !needsMirror)
export const programsWithMirror = programs.filter(({ needsMirror }) => needsMirror)

let serial = 0

/** Runs a program, and expects it to print what its page says; `instead` stands for what a page writes. */
export async function expectProgram(
  program: Program,
  instead: Readonly<Record<string, string>> = {},
): Promise<void> {
  const own = `docs-${++serial}`
  const folder = await mkdtemp(join(tmpdir(), 'daybook-docs-'))
  const opener = openerOf(daybook.openDaybook, ({ name, path }) => ({
    name: `${own}-${name}`,
    path: path ?? join(folder, `${name}.daybook`),
  }))
  const module = { ...daybook, openDaybook: opener.open }
  try {
    const printed = await runProgram(program, {
      modules: {
        ...(await modulesFor(program)),
        daybook: module,
        'daybook/node': module,
        'daybook/message': message,
        'daybook/across': across,
      },
      instead: { 'my-files/': `${folder}/my-`, ...instead },
    })
    for (const { said, promised } of printed) expect({ said }).toEqual({ said: promised })
  } finally {
    await opener.close()
    await rm(folder, { recursive: true })
  }
}

/** Frameworks take a while to load, and one page is about them. */
async function modulesFor({ code }: Program) {
  const isConnected = /from 'daybook\/(?!(?:node|message|across)')/.test(code)
  return isConnected ? (await import('./doc-framework.ts')).frameworks : {}
}
