// Content of another memory's file that no record holds is counted, and no step takes an instruction for its answer.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const open = () => openDaybook({ name: 'left-out', path: ':memory:' })

it('counts the lines of CPersona that are of no type it knows', async () => {
  await using book = await open()
  const lines = [
    { _type: 'header', version: 'cpersona-export/1.0', memory_count: 1 },
    { _type: 'memory', agent_id: 'a', msg_id: '1', content: 'Likes tea' },
    { _type: 'task', content: 'Buy tea' },
    { content: 'of no type' },
  ]
  const { imported, omitted } = await book.import(lines.map((line) => JSON.stringify(line)).join('\n'))
  expect({ imported, omitted }).toEqual({ imported: 1, omitted: { task: 1, other: 1 } })
})

it('counts the keys that are of no message', async () => {
  await using book = await open()
  const rows = { 'mem:a:2025-01-01T00:00:00Z:x': { content: 'Likes tea' }, 'profile:a': { content: 'Ada' } }
  const { imported, omitted } = await book.import(JSON.stringify(rows))
  expect({ imported, omitted }).toEqual({ imported: 1, omitted: { other: 1 } })
})

it('takes no instruction for what a step of a history observed', async () => {
  await using book = await open()
  const history = [
    { role: 'user', content: 'List the files' },
    { role: 'assistant', content: 'I look', action: 'ls' },
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'a.txt' },
  ]
  await book.import(JSON.stringify({ history }))
  const { records } = await book.traces.query({})
  expect(records.map(({ result }) => result?.outcome?.['observation'])).toEqual(['a.txt'])
})

const claudeLine = (type: string, uuid: string, content: readonly object[]) =>
  JSON.stringify({ type, uuid, sessionId: 's', timestamp: '2025-01-01T00:00:00Z', message: { content } })

it('counts a block of Claude Code of an unknown type, whatever it contains', async () => {
  await using book = await open()
  const error = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
  const line = claudeLine('assistant', '1', [
    { type: 'web_search_tool_result', tool_use_id: 't', content: error },
    { type: 'text', text: 'I found nothing' },
  ])
  const { imported, omitted } = await book.import(line)
  expect({ imported, omitted }).toEqual({ imported: 1, omitted: { web_search_tool_result: 1 } })
})

it('takes no blank text of the user for the goal of a call of Claude Code', async () => {
  await using book = await open()
  const lines = [
    claudeLine('user', '1', [{ type: 'text', text: 'Build it' }]),
    claudeLine('user', '2', [{ type: 'text', text: ' \n' }]),
    claudeLine('assistant', '3', [{ type: 'tool_use', id: 't', name: 'build', input: {} }]),
  ]
  await book.import(lines.join('\n'))
  const { records } = await book.traces.query({})
  expect(records.map(({ task }) => task?.goal)).toEqual(['Build it'])
})

it('cuts no character of a long goal in half', async () => {
  await using book = await open()
  const lines = [
    claudeLine('user', '1', [{ type: 'text', text: `${'x'.repeat(199_999)}😀${'y'.repeat(9)}` }]),
    claudeLine('assistant', '2', [{ type: 'tool_use', id: 't', name: 'build', input: {} }]),
  ]
  await book.import(lines.join('\n'))
  const { records } = await book.traces.query({})
  expect(records.map(({ task }) => task.goal)).toEqual(['x'.repeat(199_999)])
})
