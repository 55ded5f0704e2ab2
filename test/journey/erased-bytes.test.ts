// What is purged or was only said at an edge is written over in its Durable Object's database, in a real workerd: where it stood,
// and in free pages.
// What may stay between rows, and why, is in docs/threat-model.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { startEdge } from './running-edge.ts'

const count = 60
const wordOf = (n: number) => `zq${n}xkv${(n * 7919).toString(36)}jw`
/** Some take pages of their own. */
const textOf = (n: number) => `${wordOf(n)} ${'and so on '.repeat(n % 7 === 0 ? 2000 : 30)}${wordOf(n)}`

/** The bytes of every database in `folder`, each with what its log has. */
function databases(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sqlite'),
  )
  return files
    .map((file) => {
      using db = new DatabaseSync(join(folder, file), { timeout: 10_000 })
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return readFileSync(join(folder, file)).toString('latin1')
    })
    .join('\n')
}

async function startBook() {
  const edge = await startEdge({})
  const call = async (capability: string, input: object) => {
    const response = await fetch(`http://127.0.0.1:${edge.port}/v1/books/erased/capabilities/${capability}`, {
      method: 'POST',
      headers: { authorization: 'Bearer development', 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    expect([capability, response.status]).toEqual([capability, 200])
    return (await response.json()) as {
      readonly id?: string
      readonly hits?: readonly unknown[]
      readonly text?: string
      readonly result?: object
    }
  }
  return { edge, call, [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose]() }
}

it('the text of a purged record is neither where it stood nor in a free page of the object’s database', async () => {
  await using book = await startBook()
  const { edge, call } = book
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const { id = '' } = await call('kstar:store_perception', { content: textOf(n) })
    ids.push(id)
    // Its index gets a piece each time.
    if (n % 5 === 4) expect((await call('daybook:recall', { text: wordOf(n) })).hits).not.toEqual([])
  }
  const numbers = ids.map((_, n) => n)
  const gone = numbers.filter((n) => n % 10 === 5 || n === 7)
  for (const n of gone) await call('kstar:purge', { id: ids[n] })
  await edge.stop()
  const written = databases(edge.state)
  expect(gone.filter((n) => written.includes(textOf(n).slice(0, 40)))).toEqual([])
  expect(numbers.filter((n) => !gone.includes(n) && !written.includes(textOf(n).slice(0, 40)))).toEqual([])
})

it('nor does an older bundle bring there what was forgotten since', async () => {
  await using book = await startBook()
  const { edge, call } = book
  const ids: string[] = []
  for (let n = 0; n < 8; n++) {
    const { id = '' } = await call('kstar:store_perception', { content: textOf(n) })
    ids.push(id)
  }
  const { text } = await call('bundle:export', {})
  const gone = [5, 7]
  for (const n of gone) await call('kstar:forget', { id: ids[n] })
  const { result } = await call('bundle:import', { text, more: false })
  expect(result).toMatchObject({ conflictCount: 2, unchanged: 6 })
  await edge.stop()
  const written = databases(edge.state)
  expect(gone.filter((n) => written.includes(textOf(n).slice(0, 40)))).toEqual([])
  expect(ids.filter((_id, n) => !gone.includes(n) && !written.includes(textOf(n).slice(0, 40)))).toEqual([])
})

it('what was said in the meeting room is nowhere there once it is empty, however it was pushed out', async () => {
  await using book = await startBook()
  const { edge, call } = book
  const said = Array.from({ length: 230 }, (_, n) => `${wordOf(n)} ${'and so on '.repeat(20)}`)
  for (const text of said) await call('room:say', { as: 'ada', text })
  // A record that stays, so that there is something to be found.
  await call('kstar:store_perception', { content: textOf(1000) })
  await call('room:leave', { as: 'ada' })
  await edge.stop()
  const written = databases(edge.state)
  expect(written).toContain(textOf(1000).slice(0, 40))
  expect(said.filter((text) => written.includes(text.slice(0, 40)))).toEqual([])
})
