// Leaves every file that a book can leave, in a process of its own under a umask of the test's:
//   node leave-files.ts <umask in octal> <folder>
// Prints after each step the modes of all that is there then, as one line of JSON.
import { chmodSync, existsSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { breakPages, leavesOf } from '../../store/repair/broken-file.ts'

const [umask = '0', folder = ''] = process.argv.slice(2)
const place = join(folder, 'made/by/it')
const path = join(place, 'b.daybook')
const namesIn = (from: string) => readdirSync(from, { recursive: true, encoding: 'utf8' }).toSorted()
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

function tell(step: string, files: readonly (readonly [name: string, file: string])[]): void {
  const modes = Object.fromEntries(files.map(([name, file]) => [name, modeOf(file)]))
  process.stdout.write(`${JSON.stringify({ step, modes })}\n`)
}
const tellAll = (step: string) =>
  tell(
    step,
    namesIn(folder).map((name) => [name, join(folder, name)]),
  )

const open = () => openDaybook({ name: 'b', path, checkpoint: true })
const trace = (n: number) => ({
  id: `t-${n}`,
  situation: { domain: 'd' },
  action: { type: 'a' },
  task: { goal: `Goal ${n} ${'of the harbour '.repeat(20)}` },
})

process.umask(Number.parseInt(umask, 8))
const book = await open()
for (let i = 0; i < 2; i++)
  await book.traces.storeMany({ traces: Array.from({ length: 1000 }, (_, n) => trace(i * 1000 + n)) })
await book.perceptions.store({ content: 'Takes insulin', sensitivity: 'sensitive' })
await book.tokens.grant({ scope: '**', permissions: ['read'], granted_to: 'x', expires_at: '2099-01-01' })
while ((await book.status()).checkpointAt === undefined) await new Promise((resolve) => setImmediate(resolve))
tellAll('open')
await book.close()

// As a copy of the book that others may read was left by code of before, or is put there by hand.
for (const name of namesIn(folder)) if (name.includes('b.daybook')) chmodSync(join(folder, name), 0o644)
const again = await open()
await again.status()
tellAll('narrowed')
await again.close()

const leaves = leavesOf(path, 'records')
breakPages(path, leaves.slice(0, 20))
chmodSync(path, 0o666)
const broken = await open()
for (let offset = 0; offset < 2000; offset += 1000)
  await broken.traces.query({ orderBy: 'timestamp', limit: 1000, offset }).catch(() => undefined)
await broken.close()
const mended = await open()
tellAll('mended')
await mended.close()
for (const name of namesIn(folder)) if (name.includes('.damaged-')) chmodSync(join(folder, name), 0o644)
await (await open()).close()
tellAll('closed')

// What a mirror in PostgreSQL answers from: a copy in a file without a name.
const db = openNodeDatabase({ path: '' })
db.exec('PRAGMA cache_size = 2; CREATE TABLE t (x)')
for (let i = 0; i < 200; i++) db.run('INSERT INTO t VALUES (?)', ['x'.repeat(4000)])
// It has a handle all the same.
const handles = readdirSync('/proc/self/fd').map((fd) => join('/proc/self/fd', fd))
const nameless = handles.filter((one) => existsSync(one) && /etilqs.*\(deleted\)$/.test(readlinkSync(one)))
tell(
  'copy',
  nameless.map((handle, i) => [`handle ${i}`, handle]),
)
db.close()
