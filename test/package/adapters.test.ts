// Adapters as they are packed: each leaves its framework to whoever has it, and nothing of one is in what others load.
import { execFile } from 'node:child_process'
import { matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { requireTarball } from './app.ts'

const run = promisify(execFile)
const fileOf = async (file: string) =>
  (await run('tar', ['-xzOf', requireTarball(), `package/${file}`], { maxBuffer: 64e6 })).stdout

const adapters = {
  anthropic: [],
  langgraph: ['@langchain/langgraph-checkpoint'],
  'openai-agents': [],
  'ai-sdk': ['ai'],
  'claude-agent': [],
  'tanstack-db': [],
  otel: [],
  // No framework: another window.
  message: [],
}
const own = ['@noble/hashes', '@scure/base']

const importsOf = (text: string) =>
  [...text.matchAll(/^import\b[^'"\n]*(?:from )?["']([^'"]+)["']/gm)].map(([, name = '']) => name)

/** The texts of a file of dist and of all files beside it that it imports, by name. */
async function withShared(file: string, found = new Map<string, string>()): Promise<Map<string, string>> {
  if (found.has(file)) return found
  const text = await fileOf(`dist/${file}`)
  found.set(file, text)
  for (const name of importsOf(text)) if (name.startsWith('./')) await withShared(name.slice(2), found)
  return found
}

test.each(Object.entries(adapters))(
  'daybook/%s imports its framework and nothing else',
  async (name, wanted) => {
    const text = [...(await withShared(`${name}.js`)).values()].join('\n')
    const others = importsOf(text).filter((one) => !one.startsWith('./'))
    const imports = new Set(others.map((one) => own.find((known) => one.startsWith(known)) ?? one))
    expect([...imports].filter((one) => !own.includes(one))).toEqual(wanted)
    // An adapter and the table of errors, not minified: no engine is in it, which alone has ten times as much.
    expect(text.length).toBeLessThan(70_000)
  },
)

test('one file has the table of errors for all adapters', async () => {
  const files = new Map<string, string>()
  for (const name of Object.keys(adapters)) if (name !== 'message') await withShared(`${name}.js`, files)
  // A code of the table that no adapter names by itself.
  const holding = [...files].filter(([, text]) => text.includes('wrong-passphrase')).map(([name]) => name)
  expect(holding).toHaveLength(1)
})

test.each(['index.js', 'worker*.js', 'local.js', 'node.js'])(
  '%s has nothing of an adapter',
  async (pattern) => {
    const names = (await run('tar', ['-tzf', requireTarball()])).stdout.split('\n')
    const files = names.filter((name) => matchesGlob(name, `package/dist/${pattern}`))
    expect(files).not.toEqual([])
    const text = (await Promise.all(files.map((name) => fileOf(name.slice('package/'.length))))).join('\n')
    const words = [
      '@langchain/',
      '@anthropic-ai/sdk',
      '@openai/agents',
      '@tanstack/',
      'DaybookSaver',
      "Here're the files",
    ]
    expect(words.filter((word) => text.includes(word))).toEqual([])
  },
)

test('each is exported, with an optional peer for its framework', async () => {
  const manifest = JSON.parse(await fileOf('package.json')) as {
    main: string
    exports: Record<string, { types: string; default: string }>
    peerDependencies: Record<string, string>
    peerDependenciesMeta: Record<string, { optional?: boolean }>
  }
  for (const name of Object.keys(adapters)) {
    expect(manifest.exports[`./${name}`]?.default).toBe(`./dist/${name}.js`)
    expect(await fileOf(manifest.exports[`./${name}`]?.types.slice(2) ?? '')).toContain('export')
  }
  expect(manifest.main).toBe('./dist/index.js')
  const needed = Object.keys(manifest.peerDependencies).filter(
    (one) => !manifest.peerDependenciesMeta[one]?.optional,
  )
  expect(needed).toEqual([])
})
