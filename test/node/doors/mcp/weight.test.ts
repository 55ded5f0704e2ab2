// What MCP weighs for those who do not speak it: nothing in a page but the tables of tools, which are in its worker for models
// of the page; and on Node and at the edge nothing before somebody asks.
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { withBuiltWorker, withoutUnusedSqlite } from '../../../../scripts/bundle-plugin.mjs'
import { root } from '../../../../scripts/place.mjs'

async function bundled(input: string, isPage: boolean) {
  const bundle = await rolldown({
    cwd: root,
    input,
    ...(isPage
      ? { platform: 'browser', plugins: [withBuiltWorker(), withoutUnusedSqlite()] }
      : {
          platform: 'neutral',
          external: /^(?:[^./]|node:|cloudflare:)/,
          plugins: [withBuiltWorker()],
        }),
  })
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false })
  await bundle.close()
  const { code, modules } = output[0]
  return { code, modules: Object.keys(modules) }
}

it.each(['src/index.ts', 'src/hosts/browser/service-worker.ts', 'src/doors/message/message.ts'])(
  'nothing of it is in %s',
  async (entry) => {
    const { code, modules } = await bundled(entry, true)
    expect(modules.length).toBeGreaterThan(1)
    expect(modules.filter((name) => /modelcontextprotocol|doors\/mcp\//.test(name))).toEqual([])
    expect(code).not.toMatch(/modelcontextprotocol/)
  },
)

it('of the worker of a page the tables of tools are a part, and nothing that speaks the protocol', async () => {
  const { code, modules } = await bundled('src/hosts/browser/worker.ts', true)
  expect(modules.some((name) => name.endsWith('doors/mcp/tool-set.ts'))).toBe(true)
  expect(modules.filter((name) => /modelcontextprotocol|doors\/mcp\/(?:mcp-|load-mcp)/.test(name))).toEqual(
    [],
  )
  expect(code).not.toMatch(/modelcontextprotocol/)
})

it.each(['src/hosts/node/cli.ts', 'worker/create-edge.ts'])(
  '%s loads the library when it is asked for, and not before',
  async (entry) => {
    const { code } = await bundled(entry, false)
    expect(code).toMatch(/\bimport\(["']@modelcontextprotocol\/server["']\)/)
    expect(code).not.toMatch(/^(?:import|export)\b[^;]*["']@modelcontextprotocol/m)
  },
)
