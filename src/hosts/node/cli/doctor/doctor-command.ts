// `daybook doctor`: what is installed, where the book is, who holds it, and what of its surroundings answers.
// Invariant: it changes nothing; each finding that is not good says what to do.
import { DatabaseSync } from '../../port/sqlite.ts'
import { product } from '../../../../bundle/format/product.ts'
import { type Command, textOf } from '../command.ts'
import { checkBook } from './book-check.ts'
import { type Finding, ok } from './finding.ts'
import { checkServices } from './service-check.ts'

/** Installed by whoever needs them, and what for. */
const optionalPackages = {
  '@huggingface/transformers': 'local embedding models',
  '@platformatic/kafka': 'daybook kafka',
} as const

/** What was looked at is not all right; the findings have said what. */
class NotWell extends Error {}

export const doctorCommand: Command = {
  name: 'doctor',
  summary:
    'Looks at the memory and what it works with, and says what is wrong and what to do. Changes nothing.',
  operands: '',
  options: { url: { type: 'string' }, book: { type: 'string' } },
  help: {
    url: '<url>      an edge that should answer; its key is read from $DAYBOOK_KEY',
    book: '<name>    the book there that should answer',
  },
  async run({ values, terminal, signal, bookFile }) {
    const asked = { url: textOf(values, 'url'), book: textOf(values, 'book') }
    const findings = [
      ...installed(),
      ...(await checkBook(bookFile)),
      ...(await checkServices(asked, process.env, signal)),
    ]
    const faults = findings.filter(({ state }) => state === 'fault').length
    terminal.answer({ ok: faults === 0, findings }, findings.map(lineOf).join('\n'))
    if (faults > 0) throw new NotWell(faults === 1 ? 'One fault.' : `${faults} faults.`)
  },
}

function installed(): Finding[] {
  const db = new DatabaseSync(':memory:')
  const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  db.close()
  const packages = Object.entries(optionalPackages).map(([name, use]) =>
    isInstalled(name) ? ok(name, `installed, for ${use}`) : ok(name, `not installed; needed for ${use} only`),
  )
  return [
    ok(
      'daybook',
      `${product.version}, Node ${process.versions.node}, SQLite ${version}, ${process.platform}`,
    ),
    ...packages,
  ]
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

const signs = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const

function lineOf({ what, state, says, do: way }: Finding): string {
  return `${signs[state]}  ${what}: ${says}${way === undefined ? '' : `\n         ${way}`}`
}
