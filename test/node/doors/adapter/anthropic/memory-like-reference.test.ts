// The memory tool beside the vendor's own, which keeps files: the same commands, the same answers, the same files.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node'
import type { BetaMemoryTool20250818Command } from '@anthropic-ai/sdk/resources/beta'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { daybookMemory } from '../../../../../src/doors/adapter/anthropic/memory.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'

type Handlers = Pick<BetaLocalFilesystemMemoryTool, BetaMemoryTool20250818Command['command']>

const names = ['a.md', 'b.md', 'plans', 'old']
const path = fc
  .array(fc.constantFrom(...names, '.hidden', 'node_modules', '..', '.'), { maxLength: 3 })
  .map((segments) => ['/memories', ...segments].join('/'))
const text = fc
  .array(fc.constantFrom('red', 'green', 'Ünï — 日本', '', 'red and green'), { maxLength: 5 })
  .map((lines) => lines.join('\n'))
const command: fc.Arbitrary<BetaMemoryTool20250818Command> = fc.oneof(
  fc.record({ command: fc.constant('view' as const), path }),
  fc.record({
    command: fc.constant('view' as const),
    path,
    view_range: fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: -1, max: 6 })),
  }),
  fc.record({ command: fc.constant('create' as const), path, file_text: text }),
  fc.record({
    command: fc.constant('str_replace' as const),
    path,
    old_str: fc.constantFrom('green', '日本', 'red'),
    new_str: fc.constantFrom('$&blue', '', 'green'),
  }),
  fc.record({
    command: fc.constant('insert' as const),
    path,
    insert_line: fc.integer({ min: -1, max: 6 }),
    insert_text: fc.constantFrom('new', 'new\n', 'two\nlines'),
  }),
  fc.record({ command: fc.constant('delete' as const), path }),
  fc.record({ command: fc.constant('rename' as const), old_path: path, new_path: path }),
)

/** What a call answers, or what it was refused with. A disk words some refusals in its own way: those are one. */
async function said(handlers: Handlers, given: BetaMemoryTool20250818Command): Promise<string> {
  try {
    const answer = await (handlers[given.command] as (given: never) => Promise<string>)(given as never)
    return withoutFolderSizes(answer)
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    const isOfDisk = /^E[A-Z]+$/.test(code ?? '')
    const isOwnWord = /is a file, not a directory|into itself/.test(message)
    return isOfDisk || isOwnWord ? 'refused' : `refused: ${message}`
  }
}

/** A folder of a disk has the size of its list of names, and one of a book that of what is in it. */
function withoutFolderSizes(answer: string): string {
  return answer.replaceAll(
    /^[\d.]+[BKMG]\t(?=.*\/$|\/memories(?:\/\S*)?$)/gm,
    (size, place, whole: string) => {
      const line = whole.slice(place).split('\n', 1)[0] ?? ''
      const isHeader = whole.slice(0, place).split('\n').length === 2
      return isHeader || line.endsWith('/') ? 'folder\t' : size
    },
  )
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true })
  const files = found.filter((name) => statSync(join(folder, name)).isFile())
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** The reference keeps folders that nothing is in; here a folder goes with the last that was in it. */
async function removeEmpty(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const below = join(folder, entry.name)
    await removeEmpty(below)
    if ((await readdir(below)).length === 0) rmSync(below, { recursive: true })
  }
}

it('answers random commands as the vendor’s own tool does, and leaves the same files', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (commands) => {
      const folder = mkdtempSync(join(tmpdir(), 'memory-'))
      await using book = await openDaybook({ name: 'm', path: ':memory:' })
      try {
        const reference = await BetaLocalFilesystemMemoryTool.init(folder)
        const memory = daybookMemory(book)
        for (const one of commands) {
          const isTwice = one.command === 'str_replace' && (await hasTwiceInLine(folder, one))
          if (isTwice) continue
          const ours = await said(memory as Handlers, one)
          const theirs = await said(reference, one)
          const isOfDisk = theirs === 'refused' && ours.startsWith('refused')
          expect({ one, said: isOfDisk ? 'refused' : ours }).toEqual({ one, said: theirs })
          await removeEmpty(join(folder, 'memories'))
          compared++
        }
        const { documents } = await book.documents.list({ folder: 'memories/', limit: 1000 })
        const own = documents.map((one) => [`${one.folder.slice(9)}${one.key}`, one.value['text']] as const)
        const inOrder = own.sort(([one], [other]) => (one < other ? -1 : 1))
        expect(Object.fromEntries(inOrder)).toEqual(await filesOf(join(folder, 'memories')))
      } finally {
        rmSync(folder, { recursive: true })
      }
    }),
    { numRuns: 60, seed: 22 },
  )
  expect(compared).toBeGreaterThan(200)
})

/** The reference replaces the first of two in one line, which is not the one place that was asked for. */
async function hasTwiceInLine(folder: string, { path: said, old_str }: { path: string; old_str: string }) {
  const files = await filesOf(join(folder, 'memories'))
  const file = files[join('/', said.slice(9)).slice(1)] ?? ''
  return file.split('\n').some((line) => line.split(old_str).length > 2)
}
