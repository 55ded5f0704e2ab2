// Writes src/engine/later-verb.ts: the facts of the verbs that a browser loads when needed, as their chapters declare them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { root } from './place.mjs'

const later = new Set([
  'trust',
  'conversation',
  'consent',
  'continuity',
  'document',
  'checkpoint',
  'recall explain',
  'remember',
  'bundle',
  'archive',
  'pool',
  'inbox',
  'file import',
  'sync',
  'log',
])

export const laterVerbFile = join(root, 'src/engine/later-verb.ts')

/** The text of the file. */
export async function laterVerbText() {
  const { chapters } = await import('../src/engine/capability-table.ts')
  const listed = chapters.filter(({ name }) => later.has(name))
  const rows = listed.map(({ name, capabilities }) => [
    name,
    capabilities.map(({ id, methods, effect, repeatable, isQueued, secrets, isUncounted }) => ({
      id,
      methods,
      effect,
      repeatable,
      isQueued,
      secrets,
      isUncounted,
    })),
  ])
  const text = `// Facts of the verbs that a browser loads when needed. Made by \`node scripts/list-later-verbs.mjs\`, never by hand.
import type { VerbFacts } from './verb-table.ts'

export const laterVerbs = ${JSON.stringify(Object.fromEntries(rows))} as const satisfies Readonly<Record<string, readonly VerbFacts[]>>

/** A chapter whose verbs are loaded when needed. */
export type LaterName = keyof typeof laterVerbs
`
  return format(text, { ...(await resolveConfig(laterVerbFile)), filepath: laterVerbFile })
}

if (import.meta.main) writeFileSync(laterVerbFile, await laterVerbText())
