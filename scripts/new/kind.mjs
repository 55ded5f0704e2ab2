// A new kind of record: its declaration in the folder of its chapter, its place among the chapter's kinds, its row and the
// fields of its body in the specification of sync, a line of the change log, and a test that fails until somebody
// writes it.
import { posix } from 'node:path'
import { changeLine, inserted, NameFault, read, sources } from './file-plan.mjs'

const specification = 'src/sync/SPEC.md'
/** The first kind of a chapter: `kinds: [inboxKind`. */
const firstOfList = /\bkinds: \[(\w+Kind)\b/

/** @param {string} name @returns {import('./file-plan.mjs').Plan} */
export function planKind(name) {
  const [, chapter = '', kind = ''] = /^([a-z]+)\/([a-z]+(?:_[a-z]+)*)$/.exec(name) ?? []
  if (kind === '')
    throw new NameFault(
      `\`${name}\` is not the name of a kind. Write CHAPTER/KIND in small letters: inbox/letter.`,
    )
  const files = sources()
  const lists = files.filter(({ text }) => /\bdefineChapter(Base)?\(/.test(text) && firstOfList.test(text))
  const home = lists.find(({ path }) => path.split('/').at(-2) === chapter)
  if (!home) {
    const chapters = lists.map(({ path }) => path.split('/').at(-2) ?? '').toSorted()
    throw new NameFault(
      `No chapter \`${chapter}\` has kinds. Choose one of ${chapters.join(', ')}; or write the first kind of a chapter by hand (src/README.md).`,
    )
  }
  if (read(specification).includes(`\n| \`${kind}\` `)) throw new NameFault(`\`${kind}\` is a kind already.`)
  const [, first = ''] = firstOfList.exec(home.text) ?? []
  const declared = new RegExp(`export const ${first}\\b[^]*?\\bname: '(\\w+)'`)
  const before = files.flatMap(({ text }) => declared.exec(text)?.[1] ?? [])[0] ?? ''
  const words = kind.split('_')
  const constant = words
    .map((word, place) => (place === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('')
  const path = `${posix.dirname(home.path)}/${words.join('-')}-kind.ts`
  const group = home.path.split('/')[1] ?? ''
  const test = `test/node/${group}/${words.join('-')}-kind.test.ts`
  return {
    changesVerbs: true,
    files: [
      { path, text: declaration(kind, constant, home.path) },
      { path: home.path, text: withKind(home.path, constant, path) },
      { path: specification, text: withSpec(kind, before) },
      changeLine(`The kind \`${kind}\`: fill in what its records are.`),
      { path: test, text: testOf(kind, path) },
    ],
    next: `fill in ${path} (summary, schema, text, policy), its row and its block \`text body ${kind}\` in ${specification}, and its line in CHANGELOG.md; declare its view in demo/kind/kind-table.ts if people look at its records; replace ${test}.`,
  }
}

/** The chapter's file with the kind at the head of its list. @param {string} home @param {string} constant @param {string} path */
function withKind(home, constant, path) {
  const line = `import { ${constant}Kind } from './${posix.basename(path)}'`
  const { text } = inserted(home, (one) => one.startsWith('import '), line)
  return text.replace(firstOfList, (list) => list.replace('[', `[${constant}Kind, `))
}

/** The specification with the kind before the first one of its chapter. @param {string} kind @param {string} before */
function withSpec(kind, before) {
  const row = `| \`${kind}\` | 1 | \`last_write_wins\` | | | | send and fetch | |`
  const { text } = inserted(specification, (line) => line.startsWith(`| \`${before}\` `), row)
  const block = new RegExp(`^\`\`\`text body ${before}\\b`, 'm')
  if (!block.test(text))
    throw new Error(`scripts/new finds no block \`${before}\` in ${specification}: correct the script.`)
  return text.replace(
    block,
    (line) => `\`\`\`text body ${kind} strict\ntext: text 1 to 16,000\n\`\`\`\n\n${line}`,
  )
}

/** @param {string} kind @param {string} constant @param {string} home */
function declaration(kind, constant, home) {
  const core = '../'.repeat(home.split('/').length - 2)
  const Body = `${constant[0]?.toUpperCase()}${constant.slice(1)}Body`
  return `// The kind \`${kind}\`: fill in what its records are.
import { z } from 'zod'
import type { Kind } from '${core}core/kind.ts'

export const ${constant}Body = z.strictObject({
  text: z.string().min(1).max(16_000),
})
export type ${Body} = z.output<typeof ${constant}Body>

export const ${constant}Kind: Kind<'${kind}', ${Body}> = {
  name: '${kind}',
  summary: 'Fill in: one sentence about ${kind}.',
  version: 1,
  schema: ${constant}Body,
  text: ['text'],
  facets: {},
  policy: 'last_write_wins',
}
`
}

/** @param {string} kind @param {string} path */
const testOf = (kind, path) => `import { expect, it } from 'vitest'

it('${kind} keeps its rules', () => {
  expect.fail('Fill in the kind of ${path}, test it in test/contract, and remove this file.')
})
`
