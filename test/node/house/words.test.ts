import { expect, it } from 'vitest'
import { commentsOf, judgePaper, judgeWords, paperTextsOf } from '../../../scripts/words/judge-words.mjs'
import { isSubject } from '../../../scripts/words/subject.mjs'

const faultsOf = (text: string) => judgeWords('a.ts', text).map(({ line, rule }) => `${line} ${rule}`)

it('reads comments of all forms, each as one text', () => {
  const text =
    '// One.\n// Two.\n\n/** Three. */\nconst a = 1 // Four.\n/**\n * Five\n * six.\n */\nconst url = "//no"'
  expect(commentsOf(text)).toEqual([
    { line: 1, text: 'One. Two.' },
    { line: 4, text: 'Three.' },
    { line: 5, text: 'Four.' },
    { line: 6, text: 'Five six.' },
  ])
})

it.each([
  ['// Who has seen it is notified now.', ['1 begins']],
  ['/** Notify watchers now. What is derived comes later. */', ['1 begins']],
  ['/** Notify watchers now: deriving the row does not. */', []],
  ['// No storage can be had.', ['1 phrase']],
  ['const text = "There is none of the kind."', ['1 text']],
  ['const keptRows = 1', ['1 name']],
  ['function read(asked: string) { return asked }', ['1 name']],
  ['interface Told { left: number }', ['1 name', '1 name']],
  ['const leftColumn = 1', []],
])('judges %s', (text, faults) => {
  expect(faultsOf(text), 'Correct the rule in scripts/words/judge-words.mjs.').toEqual(faults)
})

it.each([
  ['store: read each setting once', true],
  ['Read each setting once', false],
  ['store: Read each setting once', false],
  [`store: ${'a'.repeat(66)}`, false],
])('judges the subject %s', (subject, isRight) => {
  expect(isSubject(subject), 'Correct scripts/words/subject.mjs.').toBe(isRight)
})

it('reads a page as paragraphs, items and cells, without code and targets', () => {
  const page =
    '# Read `it`\nOne\ntwo.\n\n- [Three](a.md#who)\n- **Four**\n\n| five | six |\n\n```js\nWhat is code\n```\nSeven'
  expect(paperTextsOf(page).filter(({ text }) => text !== '')).toEqual([
    { line: 1, text: 'Read `' },
    { line: 2, text: 'One two.' },
    { line: 5, text: 'Three' },
    { line: 6, text: 'Four' },
    { line: 8, text: 'five' },
    { line: 8, text: 'six' },
    { line: 13, text: 'Seven' },
  ])
})

it.each([
  ['Read it.\n\nWho reads\nit knows.', ['3 begins']],
  ['- **What it reads** is `whoever`.', ['1 begins']],
  ['| Which one | opened anew |', ['1 begins', '1 phrase']],
  ['What does it read?\n\nIt stands for a name. A line stands there.', ['3 phrase']],
  ['```\nWho reads it\n```\nA guest reads it.', []],
])('judges the page %j', (page, faults) => {
  expect(judgePaper(page).map(({ line, rule }) => `${line} ${rule}`)).toEqual(faults)
})
