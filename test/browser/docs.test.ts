// What README.md and docs/ show is run in a page as it stands: every section of theirs with code for it.
import { describe, expect, it } from 'vitest'
import readme from '../../README.md?raw'
import * as across from '../../src/book/across/across.ts'
import * as message from '../../src/doors/message/message.ts'
import * as daybook from '../../src/index.ts'
import { openerOf, programsOf, runProgram, wholeOf } from '../support/doc-program.ts'

const docs = import.meta.glob<string>('../../docs/*.md', { query: '?raw', import: 'default', eager: true })
const pages = [['README.md', readme] as const, ...Object.entries(docs)]
const programs = pages.flatMap(([path, text]) =>
  programsOf(text, 'a page').map((program) => ({ page: path.replace('../../', ''), ...program })),
)

/** A framework takes a while to load, and one page has one. */
const modulesFor = async (code: string) =>
  code.includes("from 'daybook/langgraph'") ? (await import('./guide/agent-framework.ts')).agentModules : {}

describe('the pages in a page', () => {
  it.each([{ page: 'README.md', ...wholeOf(readme, 'a page') }, ...programs])(
    '$page: $title',
    async (program) => {
      const own = `docs-${crypto.randomUUID()}`
      const opener = openerOf(daybook.openDaybook, ({ name }) => ({ name: `${own}-${name}` }))
      try {
        const modules = {
          ...(await modulesFor(program.code)),
          daybook: { ...daybook, openDaybook: opener.open },
          'daybook/message': message,
          'daybook/across': across,
        }
        for (const { said, promised } of await runProgram(program, { modules, instead: {} })) {
          expect({ said }).toMatchObject({ said: promised })
        }
      } finally {
        await opener.close()
      }
    },
  )
})
