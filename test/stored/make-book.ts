// Writes what a book looks like under the schema of the code beside it, for the tests that open books of every version:
//   node test/stored/make-book.ts
// Run it whenever a migration was added, and never again for that version: a stored book is what users have on their disks.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { StoredBook } from './stored-book.ts'

interface AnyBook {
  call(id: string, input: unknown): Promise<unknown>
  close(): Promise<void>
}

/** A checkout of earlier code may be named; default this one. */
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../..'))
const host = pathToFileURL(join(root, 'src/hosts/node/index.ts')).href
const { openDaybook } = (await import(host)) as {
  openDaybook(options: { name: string; path: string; agent: string }): Promise<AnyBook>
}

const history = [
  {
    role: 'user',
    content: 'I live in Lisbon and my birthday is March 5.',
    timestamp: '2026-02-01T08:00:00.000Z',
  },
  {
    role: 'assistant',
    content: 'The lighthouse survey is due on Friday.',
    timestamp: '2026-02-01T08:01:00.000Z',
  },
]
const trace = (goal: string, day: number) => ({
  id: `trace-${day}`,
  session: 'survey',
  timestamp: `2026-02-0${day}T10:00:00.000Z`,
  situation: {
    domain: 'harbour.survey',
    context: { weather: 'fog' },
  },
  task: { goal },
  action: {
    type: 'inspect',
    parameters: { lamp: day },
  },
})
const calls: readonly (readonly [id: string, input: unknown])[] = [
  ['kstar:store_trace', trace('Inspect the northern lighthouse', 1)],
  ['kstar:store_trace', trace('Measure the depth of the channel', 2)],
  ['kstar:store_trace', trace('Forgotten: repaint the buoys', 3)],
  ['kstar:complete_trace', { id: 'trace-1', result: { success: true, outcome: { lamps: 2 } } }],
  ['kstar:forget', { id: 'trace-3' }],
  ['kstar:store_perception', { content: 'The fog lifts at noon', confidence: 0.8 }],
  ['kstar:store_fact', { schema: 'lamp', data: { height: 42, place: 'north' }, source: 'survey' }],
  [
    'kstar:store_skill',
    {
      name: 'sound a channel',
      description: 'Lowers a lead line and reads the mark.',
      definition: {
        triggers: ['unknown depth'],
        preconditions: [],
        procedure: 'Lower the line.',
      },
    },
  ],
  [
    'kstar:register_trace_category',
    { name: 'mooring', domain: 'harbour.mooring', required_fields: ['berth'] },
  ],
  [
    'kstar:register_token_type',
    { name: 'pilot', scope_pattern: 'harbour:*', description: 'May bring ships in.' },
  ],
  ['kstar:register_schema', { name: 'lamp', schema: { type: 'object' } }],
  ['ks:store', { message: { content: 'Where is the harbour master?' } }],
  ['ks:archive_episode', { history }],
  ['ks:update_profile', { history }],
  ['ks:cache_answer', { question: 'How high is the lamp?', answer: '42 metres' }],
  ['inbox:send', { text: 'The tide is early' }],
  ['recall:use', { ids: ['trace-1'] }],
  ['task:add', { capability: 'kstar:forget', input: { id: 'trace-9' }, delaySeconds: 31_000_000 }],
  // Derives what is behind, as it was then.
  ['kstar:count_traces', {}],
]

const folder = mkdtempSync(join(tmpdir(), 'daybook-stored-'))
try {
  const path = join(folder, 'stored.daybook')
  const book = await openDaybook({ name: 'stored', path, agent: 'keeper' })
  const made: string[] = []
  for (const [id, input] of calls) {
    try {
      await book.call(id, input)
      made.push(id)
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (code !== 'unknown-capability') throw new Error(`${id}: ${message}`, { cause: error })
    }
  }
  await book.close()
  const db = new DatabaseSync(path)
  const one = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
  const version = one('SELECT max(version) FROM schema_version')
  const rows = db.prepare('SELECT id, kind, body FROM records WHERE deleted = 0 ORDER BY seq').all()
  const stored: StoredBook = {
    version,
    made,
    pending: one('SELECT count(*) FROM ops'),
    history: one('SELECT count(*) FROM history'),
    records: rows.map(({ id, kind, body }) => ({
      id: String(id),
      kind: String(kind),
      body: JSON.parse(String(body)) as Record<string, unknown>,
    })),
  }
  db.exec('VACUUM')
  const place = join(import.meta.dirname, 'book', `schema-${version}`)
  db.close()
  writeFileSync(`${place}.book`, gzipSync(readFileSync(path), { level: 9 }))
  writeFileSync(`${place}.json`, `${JSON.stringify(stored, undefined, 1)}\n`)
  process.stdout.write(`${place}: ${stored.records.length} records by ${made.length} calls\n`)
} finally {
  rmSync(folder, { recursive: true })
}
