// Histories as chat APIs write them: content null beside calls of tools, blocks, and results of tools.
import { expect, it } from 'vitest'
import { history, isUser } from '../../../../src/memory/conversation/message/history.ts'
import { findStatements } from '../../../../src/memory/conversation/profile/user-fact.ts'

const call = { id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{}' } }
const lines = history.parse([
  { role: 'developer', content: 'I live in Oslo.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'I live in Ghent.' },
      { type: 'image_url', image_url: { url: 'x' } },
    ],
  },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'I live in Rome.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'c2', name: 'lookup', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'I live in Bern.' }] },
])

it('reads the text of blocks, and nothing beside calls of tools', () => {
  expect(lines.map(({ content }) => content)).toEqual([
    'I live in Oslo.',
    'I live in Ghent.',
    '',
    'I live in Rome.',
    '',
    '',
  ])
})

it('takes no result of a tool and no instruction for a statement of the user', () => {
  expect(lines.map((line) => isUser(line))).toEqual([false, true, false, false, false, true])
  expect(findStatements(lines).map(({ statement }) => statement.value)).toEqual(['Ghent'])
})

it.each([{ content: 7 }, { content: [{ text: 'no type' }] }, {}])(
  'refuses content that is neither: %j',
  (item) => {
    expect(history.safeParse([{ role: 'user', ...item }]).success).toBe(false)
  },
)
