// Hidden messages of ChatGPT are neither the goal of a call nor its answer.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const open = () => openDaybook({ name: 'hidden', path: ':memory:' })

interface Step {
  readonly id: string
  readonly parent?: string
  readonly role: string
  readonly text: string
  readonly recipient?: string
  readonly type?: string
  readonly isHidden?: boolean
}

function conversation(current_node: string, steps: readonly Step[]): string {
  const nodes = steps.map(
    ({ id, parent, role, text, recipient = 'all', type = 'text', isHidden = false }) => {
      const content = { content_type: type, parts: [text] }
      const metadata = { is_visually_hidden_from_conversation: isHidden }
      return [id, { parent, message: { id, author: { role }, recipient, content, metadata } }] as const
    },
  )
  return JSON.stringify([{ id: 'x', current_node, mapping: Object.fromEntries(nodes) }])
}

it.each([{ isHidden: true }, { type: 'user_editable_context' }])(
  'the goal of another branch is no hidden message: %j',
  async (hidden) => {
    await using book = await open()
    await book.import(
      conversation('c', [
        { id: 'a', role: 'user', text: 'Draw a cat' },
        { id: 'b', parent: 'a', role: 'user', text: 'The user lives in Porto', ...hidden },
        { id: 'c', parent: 'b', role: 'assistant', text: 'Here it is' },
        { id: 'd', parent: 'b', role: 'assistant', text: 'a cat', recipient: 'painter' },
      ]),
    )
    const { records } = await book.traces.query({})
    expect(records.map(({ task }) => task?.goal)).toEqual(['Draw a cat'])
  },
)

it('the answer to a hidden call is not that of the call before it', async () => {
  await using book = await open()
  const { omitted } = await book.import(
    conversation('d', [
      { id: 'a', role: 'user', text: 'Draw a cat' },
      { id: 'b', parent: 'a', role: 'assistant', text: 'a cat', recipient: 'painter' },
      { id: 'c', parent: 'b', role: 'assistant', text: 'note', recipient: 'bio', isHidden: true },
      { id: 'd', parent: 'c', role: 'tool', text: 'noted' },
    ]),
  )
  expect(omitted).toEqual({ hidden: 1, tool: 1 })
  const { records } = await book.traces.query({})
  expect(records.map(({ action, result }) => [action?.type, result])).toEqual([['painter', undefined]])
})
