// Fields that are typed into a search: those that the kind has become filters, anything else stays what it is.
import { expect, it } from 'vitest'
import type { FilterFields } from '../../../../demo/kind/filter-field.ts'
import { chipsIn } from '../../../../demo/state/filter-chip.ts'

const fields: FilterFields = {
  agent: { type: 'text', name: 'Agent', path: 'agent' },
  domain: { type: 'text', name: 'Domain', path: 'situation.domain' },
}

it.each([
  ['agent:tutor', '', [['agent', 'tutor']]],
  ['green lamp Agent:tutor now', 'green lamp now', [['agent', 'tutor']]],
  [
    'domain:"home care" agent:a',
    '',
    [
      ['domain', 'home care'],
      ['agent', 'a'],
    ],
  ],
  ['see https://example.com and 12:30', 'see https://example.com and 12:30', []],
  ['agent: tutor', 'agent: tutor', []],
  ['unknown:x  two spaces', 'unknown:x  two spaces', []],
])('%s', (search, rest, chips) => {
  expect(chipsIn(search, fields)).toEqual({
    rest,
    chips: chips.map(([field, value]) => ({ field, value })),
  })
})
