// The check that an agent does not store its own rejected proposal: it reads every page of proposals.
import { expect, it } from 'vitest'
import type { OwnQuery, RecordPage } from '../../../../src/core/capability/port/record-port.ts'
import { assertNotProposed } from '../../../../src/memory/consent/memory/memory-capability.ts'

const page = (content: string, cursor?: string) =>
  ({
    records: [{ by: 'helper', content, status: 'rejected' }],
    ...(cursor ? { cursor } : {}),
  }) as never as RecordPage
const pages = new Map([
  [undefined, page('newest', '1')],
  ['1', page('older', '2')],
  ['2', page('oldest')],
])
const own = { query: ({ cursor }: OwnQuery) => pages.get(cursor) ?? page('none') }
const at = { own, call: { scope: { agent: 'Helper' } } } as never

it('finds a proposal on any page', () => {
  for (const content of ['newest', 'older', ' OLDEST '])
    expect(() => assertNotProposed(at, content)).toThrow(/has proposed this/)
  expect(() => assertNotProposed(at, 'another')).not.toThrow()
})
