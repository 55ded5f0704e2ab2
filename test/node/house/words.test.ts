import { expect, it } from 'vitest'
import { commentsOf, judgeWords } from '../../../scripts/words/judge-words.mjs'
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
  expect(faultsOf(text)).toEqual(faults)
})

it.each([
  ['store: read each setting once', true],
  ['Read each setting once', false],
  ['store: Read each setting once', false],
  [`store: ${'a'.repeat(66)}`, false],
])('judges the subject %s', (subject, isRight) => {
  expect(isSubject(subject)).toBe(isRight)
})
