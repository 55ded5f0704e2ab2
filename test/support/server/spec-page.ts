// The specification of sync as tests read it: its rules, its fenced examples and its tables, each with its section.
import { readFileSync } from 'node:fs'

export interface Block {
  /** The words after the fence, such as `json request`. */
  readonly info: string
  readonly text: string
  readonly section: number
}

export interface Table {
  readonly section: number
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const pageUrl = new URL('../../../src/sync/SPEC.md', import.meta.url)
export const specPage = readFileSync(pageUrl, 'utf8').replaceAll('\r\n', '\n')
/** The same as one line, for what is looked for in sentences. */
export const specText = specPage.replaceAll(/\s+/g, ' ')

/** Where each line of the page is: the number of its `## ` heading. */
function sectionOf(at: number): number {
  return Number([...specPage.slice(0, at).matchAll(/^## (\d+) /gm)].at(-1)?.[1] ?? 0)
}

/** The numbers of all rules, in the order of the page. */
export function specRules(): string[] {
  return [...specPage.matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map((match) => match[1] ?? '')
}

/** Every fenced block, and between them what the page tells the replay in comments: `<!-- mirror: copy -->`. */
export function specBlocks(): Block[] {
  const found = specPage.matchAll(/^<!-- (mirror: \w+) -->$|^```(.+)\n([\s\S]*?)^```$/gm)
  return [...found].map(({ index, 1: note, 2: info, 3: text = '' }) => ({
    info: note ?? info ?? '',
    text,
    section: sectionOf(index),
  }))
}

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())

/** Every table: `head` names the columns. Code marks are left on. */
export function specTables(): Table[] {
  const found = specPage.matchAll(/^(\|.*\|)\n\|[-| ]+\|\n((?:\|.*\|\n)+)/gm)
  return [...found].map(({ index, 1: head = '', 2: rows = '' }) => ({
    section: sectionOf(index),
    head: cellsOf(head),
    rows: rows.trimEnd().split('\n').map(cellsOf),
  }))
}

/** A cell without its code marks. */
export const plain = (cell = '') => cell.replaceAll('`', '').replaceAll('**', '')

/** What stands in the fenced blocks of that info. */
export const framed = (info: string) => specBlocks().filter((block) => block.info === info)

/** The tables whose first columns have these names. */
export const tableOf = (...head: string[]) =>
  specTables().filter((table) => head.every((name, i) => table.head[i] === name))
