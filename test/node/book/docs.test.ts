// What README.md and docs/ show is run in Node as it stands: every section of a page with code for it.
import { describe, it } from 'vitest'
import { expectProgram, programsAlone } from './doc-world.ts'

describe('the pages in Node', () => {
  it.each(programsAlone)('$page: $title', (program) => expectProgram(program))
})
