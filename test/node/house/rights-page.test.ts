// docs/rights.md is made from the capability table: run this file with `--update=all` after a verb changed, and read the difference.
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import { createManifest } from '../../../src/doors/manifest.ts'
import { seedShapes } from '../../../src/doors/seed-shape/seed-shape.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'

const page = join(root, 'docs/rights.md')

const opening = `# Rights

After this page you can say for every verb which right a guest needs for it. You also see which verbs run only at some copies
of a book.

A _right_ is the permission of a token or an access key. It opens only what is in the caller's reach
([protect](protect.md#hand-a-narrow-token-to-another-agent)). Words behind a verb say where it runs, if not at every copy: on a
_device_ of the owner, at the _mirror_, or where the private _keys_ of the book are. _Decides_: refused to the agent that proposed the record.
`

type Verb = (typeof capabilityTable)[number] & {
  readonly permission?: string
  readonly runs?: 'anywhere' | 'device' | 'mirror' | 'keys'
  readonly decides?: object
}

type ListedVerb = Pick<Verb, 'id' | 'summary' | 'permission' | 'runs' | 'decides'>

const table: readonly Verb[] = capabilityTable
const ids = new Set<string>(table.map(({ id }) => id))

/** Verbs by the names of other specifications, which call verbs of the table and need the right of the first. */
const seedVerbs = seedShapes.flatMap(({ names: [id], summary, capabilities: [first] }): ListedVerb[] => {
  const called = table.find((verb) => verb.id === first)
  if (!id.includes(':') || ids.has(id) || !called) return []
  return [{ ...called, id, summary }]
})

const verbs: readonly ListedVerb[] = [...table, ...seedVerbs]

/** The verbs of a right; of the owner's own if it is undefined. */
function listOf(right: string | undefined): string {
  const rows = verbs
    .filter(({ permission }) => permission === right)
    .map(({ id, summary, runs = 'anywhere', decides }) => {
      const notes = [...(runs === 'anywhere' ? [] : [runs]), ...(decides ? ['decides'] : [])]
      const note = notes.length === 0 ? '' : ` _${notes.join(', ')}_`
      return `- \`${id}\`${note}: ${summary}`
    })
  const title = right === undefined ? 'Verbs of the owner alone' : `Verbs that \`${right}\` opens`
  return ['', `## ${title}`, '', ...rows].join('\n')
}

/** The rights with the most verbs first; the owner's own verbs at the end. */
function lists(): string {
  const count = (right: string) => verbs.filter(({ permission }) => permission === right).length
  const rights = new Set(verbs.flatMap(({ permission }) => permission ?? []))
  const sorted = [...rights].toSorted((a, b) => count(b) - count(a) || (a < b ? -1 : 1))
  return [...sorted, undefined].map(listOf).join('\n')
}

it('lists every verb with the right that a guest needs for it', async () => {
  const options = await resolveConfig(page)
  const text = await format(`${opening}\n${lists()}\n`, { ...options, parser: 'markdown' })
  expect(capabilityTable.length).toBeGreaterThan(150)
  const listed = new Set([...text.matchAll(/^- `([^`]+)`/gm)].map(([, id]) => id))
  const manifest = createManifest(capabilityTable, { wire: 1, version: '1.0.0', transports: [] })
  expect(manifest.capabilities.map(({ id }) => id).filter((id) => !listed.has(id))).toEqual([])
  await expect(
    text,
    'Read what changed, then write docs/rights.md: npx vitest run --config test/vitest.config.ts --project node-quick --update=all test/node/house/rights-page.test.ts',
  ).toMatchFileSnapshot(page)
})
