// Who listens to a resource over HTTP hears when it changes, as far as the caller may read it, and is promised nothing else.
import { expect, it } from 'vitest'
import { entityId, entitySchema } from '../../../src/core/text/name-id.ts'
import { callTool, type McpHost } from './mcp.ts'

const uri = 'memory://knowledge-graph'

export function listenCases(host: McpHost): void {
  it('tells who listens to a resource of each change of it, and of nothing else', async () => {
    await using world = await host.open({ era: 'modern', sets: ['graph'] })
    const { client } = world
    const told: string[] = []
    let tell = () => {}
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      told.push(params.uri)
      tell()
    })
    const create = (name: string) =>
      callTool(client, 'create_entities', { entities: [{ name, entityType: 'x', observations: [] }] })
    await create('before')
    const listening = await client.listen({ resourceSubscriptions: [uri] })
    for (const name of ['one', 'two']) {
      const update = new Promise<void>((resolve) => (tell = resolve))
      // Somebody else writes it the second time.
      if (name === 'one') await create(name)
      else
        await world.run('kstar:store_fact', {
          id: entityId(name),
          schema: entitySchema,
          data: { name, entityType: 'x', observations: [] },
        })
      await update
    }
    expect(told).toEqual([uri, uri])
    await listening.close()
  })

  it('ends with the key under which it was begun', async () => {
    await using world = await host.open({ era: 'modern', sets: ['graph'] })
    const { id, key } = (await world.run('daybook:create_access_key', {
      name: 'listener',
      permissions: ['read'],
      scope: '**',
    })) as { id: string; key: string }
    const client = await host.join?.(world, key)
    const listening = await client?.listen({ resourceSubscriptions: [uri] })
    await world.run('daybook:revoke_access_key', { id })
    expect(['remote', 'graceful']).toContain(await listening?.closed)
    await client?.close()
  })

  it('promises no subscription where there is nothing to tell it by', async () => {
    await using world = await host.open({ era: 'legacy', sets: ['graph'] })
    const { client } = world
    expect(client.getServerCapabilities()?.resources).not.toMatchObject({ subscribe: true })
    await expect(client.subscribeResource({ uri })).rejects.toThrow(/subscri|not support|not found/i)
  })
}
