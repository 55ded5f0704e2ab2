// The code of README.md and docs/*.md compiles in a stranger's strict project, as TypeScript; one page as JavaScript.
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fragmentsOf, programsOf, scenesOf } from '../support/doc-program.ts'
import { createApp } from './app.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Checked as JavaScript: without annotations and with null checks, the types of LangGraph's reducers are `never`. */
const plainPage = 'docs/agent-in-a-page.md'
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })]

/** Packages that the guide names and this repository does not install. */
const shims = "declare module '@openai/agents'\ndeclare module '@ai-sdk/openai'\n"

/** The programs of a story that several devices tell: each device's blocks, and those of the day before. */
function storiesOf(page: string): { title: string; code: string }[] {
  const scenes = scenesOf(page)
  const devices = new Set(scenes.map(({ on }) => on).filter((on) => on !== 'both'))
  const today = scenes.filter(({ isDayBefore }) => !isDayBefore)
  const before = scenes.filter(({ isDayBefore }) => isDayBefore)
  const stories = [...devices].map((device) => ({
    title: `the story on the ${device}`,
    blocks: today.filter(({ on }) => on === device || on === 'both'),
  }))
  if (before.length > 0) stories.push({ title: 'the day before', blocks: [...today.slice(0, 1), ...before] })
  return stories.map(({ title, blocks }) => ({ title, code: blocks.map(({ code }) => code).join('\n') }))
}

/** Declares the names that a page or fragment takes from its reader. */
function opening(code: string): string {
  const names = Object.entries(readersNames).filter(
    ([name]) =>
      new RegExp(`\\b${name}\\b`).test(code) &&
      !new RegExp(`(const|import|function) [^=\\n]*\\b${name}\\b`).test(code),
  )
  return names.map(([name, type]) => `declare const ${name}: ${type}\n`).join('')
}

/** Names that a reader has already, with their types. */
const readersNames: Readonly<Record<string, string>> = {
  book: "import('daybook').Daybook",
  button: 'HTMLButtonElement',
  createAgent: "(book: import('daybook').Daybook) => Promise<unknown>",
  key: 'string',
  name: 'string',
  openDaybook: "typeof import('daybook').openDaybook",
  passphrase: 'string',
  token: '{ readonly token_id: string }',
  url: 'string',
}

/** Each program of a page by the name of its file. */
function programs() {
  return pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const inPage = programsOf(text, 'a page')
    const inNode = programsOf(text, 'Node').map(({ title, code }) => ({
      title,
      code: code.replaceAll("'daybook' // in Node: 'daybook/node'", "'daybook/node'"),
    }))
    const fragments = (page === plainPage ? [] : fragmentsOf(text)).map((code) => ({
      title: 'a fragment',
      code,
    }))
    const codes = new Map(
      [...inPage, ...inNode, ...storiesOf(text), ...fragments].map(({ title, code }) => [code, title]),
    )
    return [...codes].map(([code, title], at) => ({
      file: `${page.replaceAll(/\W+/g, '-')}-${at}.${page === plainPage ? 'js' : 'ts'}`,
      text: `// ${page}: ${title}\n${page === plainPage ? '' : opening(code)}${code}\nexport {}\n`,
    }))
  })
}

/** Packages that the programs import, beside this one. */
function packagesIn(texts: readonly string[]): string[] {
  const named = texts.flatMap((text) =>
    [...text.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = '']) => name),
  )
  return [...new Set(named)].filter(
    (name) => name !== 'daybook' && existsSync(join(root, 'node_modules', name)),
  )
}

test('every program of the README and the guide compiles under strict rules', async () => {
  const all = programs()
  expect(all.length).toBeGreaterThan(60)
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    peerDependencies: Record<string, string>
  }
  const peers = Object.keys(peerDependencies).filter((name) => existsSync(join(root, 'node_modules', name)))
  const tools = new Set([...packagesIn(all.map(({ text }) => text)), ...peers, '@types/node'])
  await using app = await createApp([...tools])
  const folder = join(app.path, 'guide')
  await mkdir(folder)
  await writeFile(join(folder, 'shims.d.ts'), shims)
  for (const { file, text } of all) await writeFile(join(folder, file), text)
  const config = {
    compilerOptions: {
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
      module: 'preserve',
      types: ['node'],
    },
    include: ['*.ts'],
  }
  const plain = {
    compilerOptions: {
      ...config.compilerOptions,
      allowJs: true,
      checkJs: true,
      noImplicitAny: false,
      strictNullChecks: false,
    },
    include: ['*.js'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'plain.json'), JSON.stringify(plain))
  expect(await compile(join(folder, 'tsconfig.json'))).toBe('')
  expect(await compile(join(folder, 'plain.json'))).toBe('')
})

/** The output of the compiler for a project. */
const compile = (project: string): Promise<string> =>
  promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], {
    maxBuffer: 1e8,
  }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
