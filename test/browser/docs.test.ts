// What README.md and docs/ show is run in a page as it stands: every section of theirs with code for it.
import { describe, expect, it } from 'vitest'
import readme from '../../README.md?raw'
import * as daybook from '../../src/index.ts'
import { openerOf, programsOf, runProgram, wholeOf } from '../support/doc-program.ts'

const docs = import.meta.glob<string>('../../docs/*.md', { query: '?raw', import: 'default', eager: true })
const pages = [['README.md', readme] as const, ...Object.entries(docs)]
const programs = pages.flatMap(([path, text]) =>
  programsOf(text, 'a page').map((program) => ({ page: path.replace('../../', ''), ...program })),
)

describe('the pages in a page', () => {
  it.each([{ page: 'README.md', ...wholeOf(readme, 'a page') }, ...programs])(
    '$page: $title',
    async (program) => {
      const own = `docs-${crypto.randomUUID()}`
      const opener = openerOf(daybook.openDaybook, ({ name }) => ({ name: `${own}-${name}` }))
      try {
        const modules = { daybook: { ...daybook, openDaybook: opener.open } }
        for (const { said, promised } of await runProgram(program, { modules, instead: {} })) {
          expect({ said }).toMatchObject({ said: promised })
        }
      } finally {
        await opener.close()
      }
    },
  )
})
