// docs/rights.md is made from the capability table: run this file with `--update=all` after a verb changed, and read the difference.
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import { capabilityTable } from '../../../src/engine/capability-table.ts'

const page = join(root, 'docs/rights.md')

const opening = `# Rights

After this page you can say for every verb which right a guest needs for it. You also see which verbs run only at some copies
of a book.

_Right_ is the permission that a token or an access key must carry; **owner** means that no guest may call the verb, whatever it
carries. A right opens only what is in the caller's reach ([protect](protect.md#hand-a-narrow-token-to-another-agent)). _Runs_ says
at which copies the verb works: anywhere, on a device of the owner, at the mirror, or where the private keys of the book are.
_Decides_ marks verbs that are refused to the agent that proposed the record.
`

const placeNames = {
  anywhere: 'anywhere',
  device: 'device',
  mirror: 'mirror',
  keys: 'where the keys are',
} as const

function rightsTable(): string {
  const rows = capabilityTable.map((verb) => {
    const {
      id,
      summary,
      permission,
      runs = 'anywhere',
      decides,
    } = verb as (typeof capabilityTable)[number] & {
      readonly permission?: string
      readonly runs?: keyof typeof placeNames
      readonly decides?: object
    }
    const text = summary.replaceAll('|', '\\|')
    return `| \`${id}\` | ${permission ?? '**owner**'} | ${placeNames[runs]} | ${decides ? 'yes' : ''} | ${text} |`
  })
  return ['| verb | right | runs | decides | summary |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
}

it('lists every verb with the right that a guest needs for it', async () => {
  const options = await resolveConfig(page)
  const text = await format(`${opening}\n${rightsTable()}\n`, { ...options, parser: 'markdown' })
  expect(capabilityTable.length).toBeGreaterThan(150)
  await expect(
    text,
    'Read what changed, then write docs/rights.md: npx vitest run --config test/vitest.config.ts --project node-quick --update=all test/node/house/rights-page.test.ts',
  ).toMatchFileSnapshot(page)
})
