// Tools for the agent of a browser, against a stand-in for the browser.
import { describe, expect, it } from 'vitest'
import { createBookEnd } from '../../../src/book/book-end.ts'
import { offerTools } from '../../../src/book/tool/offer-tools.ts'
import type { ToolDoor, ToolText } from '../../../src/book/tool/tool-source.ts'

interface Registered {
  readonly name: string
  execute(input: unknown): Promise<unknown>
}

const text = (name: string, permission: string): ToolText => ({
  name,
  description: name,
  input: { type: 'object' },
  verbs: [{ id: `kstar:${name}`, permission }] as never,
  readsOnly: permission === 'read',
  isQuoted: false,
})

/** A browser, and a book with the tools `look` and `store`. `answer`: the value of every tool. */
function openWorld(answer: unknown = {}) {
  const tools = new Map<string, Registered>()
  const listeners = new Set<() => void>()
  let permissions: readonly string[] = ['read', 'write']
  const world = {
    tools,
    listeners,
    /** Runs when the first tool is registered. */
    atFirst: () => undefined as void,
    allow(next: readonly string[]) {
      permissions = next
      for (const listener of listeners) listener()
    },
    door: {
      call: () => Promise.reject(new Error('no call')),
      tools: {
        list: () => Promise.resolve([text('look', 'read'), text('store', 'write')]),
        run: () => Promise.resolve({ value: answer, texts: ['text'], isFailure: false }),
      },
      rights: {
        permissions: () => Promise.resolve(permissions),
        onChange(listener: () => void) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
    } as unknown as ToolDoor,
    host: {
      AbortController,
      document: {
        modelContext: {
          async registerTool(tool: Registered, { signal }: { signal: AbortSignal }) {
            if (tools.size === 0) world.atFirst()
            await Promise.resolve()
            tools.set(tool.name, tool)
            signal.addEventListener('abort', () => tools.delete(tool.name))
          },
        },
      },
    } as never,
  }
  return world
}

describe('tools for the agent of a browser', () => {
  it('follow a change of the rights that comes while they are being offered', async () => {
    const world = openWorld()
    world.atFirst = () => world.allow(['read'])
    const offered = await offerTools(world.door, {}, createBookEnd(), world.host)
    await expect.poll(() => [...world.tools.keys()]).toEqual(['look'])
    expect(offered.names).toEqual(['look'])
    world.allow(['read', 'write'])
    await expect.poll(() => offered.names).toEqual(['look', 'store'])
    offered.close()
    expect([world.tools.size, world.listeners.size]).toEqual([0, 0])
  })

  it.each([
    [{ id: 'fact-1' }, { id: 'fact-1' }],
    [[1, 2], { result: [1, 2] }],
    [null, { result: null }],
  ])('answer with an object, as older clients of the protocol require: %j', async (answer, expected) => {
    const world = openWorld(answer)
    await offerTools(world.door, {}, createBookEnd(), world.host)
    const structuredContent = expected
    expect(await world.tools.get('look')?.execute({})).toMatchObject({ structuredContent })
  })

  it('leave no listener behind when the book has ended already', async () => {
    const world = openWorld()
    const end = createBookEnd()
    end.end()
    const offered = await offerTools(world.door, {}, end, world.host)
    expect([offered.names, world.tools.size, world.listeners.size]).toEqual([[], 0, 0])
  })
})
