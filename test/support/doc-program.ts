// The code of README.md and docs/*.md as programs that tests run. A fence says where: `js run`, `js run in a page`,
// `js run in Node`, and `with a mirror` behind it where one is needed. A section is a program of its own: what stands above
// the first one, then its own blocks. `console.log(x) // y` is a promise: what is printed has to be y. `js run on the laptop`
// is a scene of a story that several devices tell together, from its first block to its last.
import type { Daybook } from '../../src/book/daybook.ts'

export interface Program {
  /** The heading of its section. */
  readonly title: string
  readonly code: string
  readonly needsMirror: boolean
}

/** What stands behind names that a page imports. */
export type Modules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface World {
  readonly modules: Modules
  /** What a page writes, and what stands for it here: addresses, keys, file names. */
  readonly instead: Readonly<Record<string, string>>
}

type Host = 'Node' | 'a page'

interface Block {
  readonly section: string
  readonly words: string
  readonly code: string
}

/** A section begins with a heading, or with a bold word whose line ends in a colon. */
function* blocksOf(page: string): Generator<Block> {
  let section = ''
  for (const [, heading, lead, words = '', code = ''] of page.matchAll(
    /^#{2,3} (.+)$|^\*\*(\w+)\*\* .*:$|^```([^\n]*)\n([\s\S]*?)^```$/gm,
  )) {
    const title = heading ?? lead
    if (title === undefined) yield { section, words, code }
    else section = title
  }
}

function blocksFor(page: string, host: Host): Block[] {
  const elsewhere = host === 'Node' ? 'in a page' : 'in Node'
  return [...blocksOf(page)].filter(
    ({ words }) => /^js run\b(?! on )/.test(words) && !words.includes(elsewhere),
  )
}

/** What one device does in a story of several. */
export interface Scene {
  /** The heading of its section. */
  readonly title: string
  /** `both`, or the name of one. */
  readonly on: string
  readonly isDayBefore: boolean
  readonly code: string
}

/** The scenes of a page, in its order. */
export function scenesOf(page: string): Scene[] {
  return [...blocksOf(page)].flatMap(({ section, words, code }) => {
    const [, on, when] = /^js run on (?:the )?(\w+)(, the day before)?$/.exec(words) ?? []
    return on === undefined ? [] : [{ title: section, on, isDayBefore: when !== undefined, code }]
  })
}

/** Blocks that no test runs, because they need a reader's own names, keys or tools. */
export function fragmentsOf(page: string): string[] {
  return [...blocksOf(page)].filter(({ words }) => words === 'js').map(({ code }) => code)
}

/** The programs of a page that run on this host. */
export function programsOf(page: string, host: Host): Program[] {
  const blocks = blocksFor(page, host)
  const opening = blocks.filter(({ section }) => section === '')
  const titles = new Set(blocks.map(({ section }) => section).filter((section) => section !== ''))
  // A page whose code is all above its first heading is one program.
  const sections = titles.size > 0 ? titles : new Set(blocks.map(({ section }) => section))
  return [...sections].map((title) => {
    const own = title === '' ? opening : [...opening, ...blocks.filter(({ section }) => section === title)]
    return {
      title: title || 'the whole page',
      code: own.map(({ code }) => code).join('\n'),
      needsMirror: own.some(({ words }) => words.includes('with a mirror')),
    }
  })
}

/** Everything that a page runs on this host without a mirror, from its first line to its last. */
export function wholeOf(page: string, host: Host): Program {
  const blocks = blocksFor(page, host).filter(({ words }) => !words.includes('with a mirror'))
  return { title: 'from top to bottom', code: blocks.map(({ code }) => code).join('\n'), needsMirror: false }
}

/** A line of output, and what the page says it is. */
export interface Printed {
  readonly said: unknown
  readonly promised: unknown
}

type Print = (line: number, said: unknown) => void

/** `code` for somebody who has `modules` and `print`, and what it promises to print. */
export function prepare(
  code: string,
  instead: World['instead'],
): { readonly text: string; readonly promised: readonly unknown[] } {
  const promised: unknown[] = []
  let text = code.replaceAll(
    /^import \{ (.+) \} from '([^']+)'.*$/gm,
    (_line, names: string, name: string) => `const { ${names} } = modules['${name}']`,
  )
  for (const [written, meant] of Object.entries(instead)) text = text.replaceAll(written, meant)
  text = text.replaceAll(/console\.log\((.*)\) \/\/ (.+)$/gm, (_line, value: string, promise: string) => {
    promised.push(valueOf(promise))
    return `print(${promised.length - 1}, ${value})`
  })
  return { text, promised }
}

/** Runs a program; answers what it printed, beside what it promised to print, in the order of its lines. */
export async function runProgram({ code }: Program, { modules, instead }: World): Promise<Printed[]> {
  const { text, promised } = prepare(code, instead)
  const printed: Printed[] = []
  const reached = new Set<number>()
  const print: Print = (line, said) => {
    reached.add(line)
    printed.push({ said, promised: promised[line] })
  }
  // oxlint-disable-next-line typescript/no-implied-eval -- the code of our own pages, as a reader would run it
  const run = new Function('modules', 'print', 'console', `return (async () => {\n${text}\n})()`) as (
    modules: Modules,
    print: Print,
    console: { log(): void },
  ) => Promise<void>
  await run(modules, print, { log: () => undefined })
  if (reached.size < promised.length) throw new Error('A line that promises an output was never reached.')
  return printed
}

function valueOf(text: string): unknown {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- as above
    return (new Function(`return (${text})`) as () => unknown)()
  } catch {
    throw new Error(`What is promised is no value: ${text}`)
  }
}

/** `openDaybook` under names that no other test has; closes what a program left open. */
export function openerOf<Options extends { readonly name: string }>(
  open: (options: Options) => Promise<Daybook>,
  place: (options: Options) => Options,
): { open: (options: Options) => Promise<Daybook>; close: () => Promise<void> } {
  const books: Daybook[] = []
  return {
    async open(options) {
      const book = await open({ ...options, ...place(options) })
      books.push(book)
      return book
    },
    async close() {
      for (const book of books.toReversed()) await book.close()
    },
  }
}
