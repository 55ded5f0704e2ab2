// What is purged at an edge is in no byte of its Durable Object's database, in a real workerd.
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
      using db = new DatabaseSync(join(folder, file))
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return readFileSync(join(folder, file)).toString('latin1')
    })
    .join('\n')
}

it('a purged record is in no byte of the object’s database, in no free page and in no piece of its index', async () => {
  await using edge = await startEdge({})
  const call = async (capability: string, input: object) => {
    const response = await fetch(`http://127.0.0.1:${edge.port}/v1/books/erased/capabilities/${capability}`, {
      method: 'POST',
      headers: { authorization: 'Bearer development', 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    expect([capability, response.status]).toEqual([capability, 200])
    return (await response.json()) as { readonly id?: string; readonly hits?: readonly unknown[] }
  }
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const { id = '' } = await call('kstar:store_perception', { content: textOf(n) })
    ids.push(id)
    // Its index gets a piece each time.
    if (n % 5 === 4) expect((await call('daybook:recall', { text: wordOf(n) })).hits).not.toEqual([])
  }
  const numbers = ids.map((_, n) => n)
  const gone = numbers.filter((n) => n % 10 === 0 || n === 7)
  for (const n of gone) await call('kstar:purge', { id: ids[n] })
  await edge.stop()
  const written = databases(edge.state)
  expect(gone.filter((n) => written.includes(wordOf(n)))).toEqual([])
  expect(numbers.filter((n) => !gone.includes(n) && !written.includes(wordOf(n)))).toEqual([])
})
