// Puts the golden corpus into a book, through its public verbs, and tells which of its keys a hit is.
import type { RecallHit } from '../../src/core/capability/port/recall-port.ts'
import type { Daybook } from '../../src/book/daybook.ts'
import { facts } from './fact.ts'
import { readTalk, storeTalk } from './judged-talk.ts'
import { perceptions, skills } from './known.ts'
import { talk } from './talk.ts'
import { work } from './work.ts'

const sessions = readTalk(talk, new Map())
const tasks = work.trim().split('\n')

/** How many records there are. */
export const corpusSize =
  sessions.reduce((sum, { lines }) => sum + lines.length, 0) +
  tasks.length +
  facts.length +
  perceptions.length +
  skills.length

/** Stores everything. What happened at a time of its own has it; the rest happens now. */
export async function fillGolden(book: Daybook): Promise<void> {
  await storeTalk(book, sessions)
  await book.traces.storeMany({ traces: tasks.map(traceOf) })
  for (const { key, schema, data, instead } of facts) {
    const supersedes = instead === undefined ? {} : { supersedes: `fact-${instead}` }
    await book.facts.store({ id: `fact-${key}`, schema, data, ...supersedes })
  }
  for (const { key, ...perception } of perceptions)
    await book.perceptions.store({ id: `perception-${key}`, ...perception })
  for (const { name, description, triggers, procedure } of skills)
    await book.skills.store({ name, description, definition: { triggers: [...triggers], procedure } })
}

/** Reads `key time domain session action sign goal => note`. */
export function traceOf(line: string) {
  const [head = '', outcome = ''] = line.split(' => ')
  const [id = '', when = '', domain = '', session = '', action = '', sign = '', ...goal] = head.split(' ')
  return {
    id,
    session,
    timestamp: `${when}:00Z`,
    situation: { domain },
    task: { goal: goal.join(' ') },
    action: { type: action },
    result: { success: sign === '+', outcome: { note: outcome } },
  }
}

/** The corpus's own name for what was found. */
export function keyOf({ record }: RecallHit): string {
  if (record.kind === 'message') return String(record['msg_id'])
  if (record.kind === 'skill') return String(record['name'])
  return record.id.replace(/^(fact|perception)-/, '')
}
