// An import that is killed before the new book has its name leaves files beside the book: the next import removes them.
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { CommandContext } from '../../../../../src/hosts/node/cli/command.ts'
import { importMemory } from '../../../../../src/hosts/node/cli/import-memory.ts'
import { type Daybook, openDaybook } from '../../../../../src/hosts/node/index.ts'

const root = mkdtempSync(join(tmpdir(), 'daybook-staged-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Opens a new book in `folder` under a name that an import uses, as old as an hour. */
async function stage(folder: string, id: string): Promise<Daybook> {
  const path = join(folder, `book.daybook.new-${id}`)
  const book = await openDaybook({ name: 'b', path, share: false, checkpoint: false })
  await book.facts.store({ schema: 'note', data: { text: 'clear text' } })
  return book
}

function age(folder: string): void {
  const before = new Date(Date.now() - 3_600_000)
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), before, before)
}

/** Imports a file without records into the book of `folder`. */
async function importHere(folder: string, isDryRun = false): Promise<void> {
  const bookFile = join(folder, 'book.daybook')
  const from = join(root, 'none.jsonl')
  writeFileSync(from, '{"format":"jsonl"}\n')
  const open = ({ file = bookFile } = {}) => openDaybook({ name: 'b', path: file, share: false })
  const terminal = { answer: () => undefined, progress: () => undefined }
  const values = { from, 'dry-run': isDryRun }
  const context = { values, terminal, signal: new AbortController().signal, open, bookFile }
  // The result of the import doesn't matter here.
  await importMemory.run(context as unknown as CommandContext).catch(() => undefined)
}

const stagedIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.new-'))

it('deletes what a killed import left, and nothing that a running one uses', async () => {
  const folder = mkdtempSync(join(root, 'import-'))
  await (await stage(folder, '00000001')).close()
  writeFileSync(join(folder, 'book.daybook.new-00000001-wal'), '')
  const running = await stage(folder, '00000002')
  // The process of this one may have copied the keys, and is about to make the book.
  writeFileSync(join(folder, 'book.daybook.new-00000003.vault'), '')
  age(folder)
  // The process of this one has closed the book, and is about to rename it.
  await (await stage(folder, '00000004')).close()
  await importHere(folder, true)
  expect(stagedIn(folder).filter((name) => name.includes('00000001'))).not.toEqual([])
  await importHere(folder)
  const left = stagedIn(folder)
  expect(new Set(left.map((name) => name.slice(0, 'book.daybook.new-00000000'.length)))).toEqual(
    new Set(['2', '3', '4'].map((id) => `book.daybook.new-0000000${id}`)),
  )
  expect((await running.facts.query({})).records).toHaveLength(1)
  await running.close()
  age(folder)
  await importHere(folder)
  expect(stagedIn(folder)).toEqual(['book.daybook.new-00000003.vault'])
})
