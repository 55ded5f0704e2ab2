// The tools of an open book are in a file of their own, which may be missing, broken or late.
import { afterEach, expect, it, vi } from 'vitest'
import { longestLoadMs } from '../../../../src/core/load-part.ts'
import { loadLocalTools } from '../../../../src/doors/mcp/load-local-tools.ts'
import { createTestTime } from '../../../support/test-engine.ts'

const file = '../../../../src/doors/mcp/local-tools.ts'
afterEach(() => void vi.doUnmock(file))

const refused = { code: 'part-unavailable', retry: true, details: { part: 'tools' } }
const source = { list: () => Promise.resolve([]), run: () => Promise.reject(new Error('No tool')) }

it.each([
  ['can’t be loaded', () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))],
  ['is empty', () => ({ createLocalTools: undefined })],
])('is part-unavailable while the file %s, and loads it at a later call', async (_fault, module) => {
  vi.doMock(file, module)
  const tools = loadLocalTools(createTestTime().ports.scheduler)
  await expect(tools.list([])).rejects.toMatchObject(refused)
  await expect(tools.run([], 'recall', {}, () => Promise.resolve())).rejects.toMatchObject(refused)
  vi.doMock(file, () => ({ createLocalTools: () => source }))
  expect(await tools.list([])).toEqual([])
})

it('is part-unavailable when the file does not arrive', async () => {
  vi.doMock(file, () => new Promise(() => undefined))
  const { ports, pass } = createTestTime()
  const list = Promise.allSettled([loadLocalTools(ports.scheduler).list([])])
  await pass(longestLoadMs)
  expect(await list).toMatchObject([{ reason: refused }])
})

it('creates the tools once for calls that come together', async () => {
  const createLocalTools = vi.fn<() => typeof source>(() => source)
  vi.doMock(file, () => ({ createLocalTools }))
  const tools = loadLocalTools(createTestTime().ports.scheduler)
  await Promise.all([tools.list([]), tools.list([])])
  expect(createLocalTools).toHaveBeenCalledOnce()
})
