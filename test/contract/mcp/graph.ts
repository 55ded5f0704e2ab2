// The set `graph`: a drop-in for the reference memory server. Its nine tools under their names, with their shapes and their
// sentences, and its resource.
import { expect, it } from 'vitest'
import { callTool, type McpHost } from './mcp.ts'

const ann = { name: 'Ann', entityType: 'person', observations: ['likes tea', 'works at Acme'] }
const acme = { name: 'Acme', entityType: 'company', observations: [] }
const worksAt = { from: 'Ann', to: 'Acme', relationType: 'works at' }

export function graphCases(host: McpHost): void {
  const open = () => host.open({ era: 'legacy', sets: ['graph'] })

  it('has the nine tools of the reference memory server', async () => {
    await using world = await open()
    const { tools } = await world.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'create_entities',
      'create_relations',
      'add_observations',
      'delete_entities',
      'delete_observations',
      'delete_relations',
      'read_graph',
      'search_nodes',
      'open_nodes',
    ])
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'read_graph',
      'search_nodes',
      'open_nodes',
    ])
  })

  it('creates what there is not, and answers that alone', async () => {
    await using world = await open()
    const { client } = world
    const made = await callTool(client, 'create_entities', { entities: [ann, acme] })
    expect(made.value).toEqual({ entities: [ann, acme] })
    expect(made.text).toBe(JSON.stringify([ann, acme], undefined, 2))
    const changed = { ...ann, observations: ['another'] }
    expect((await callTool(client, 'create_entities', { entities: [changed] })).value).toEqual({
      entities: [],
    })
    expect((await callTool(client, 'create_relations', { relations: [worksAt] })).value).toEqual({
      relations: [worksAt],
    })
    expect((await callTool(client, 'create_relations', { relations: [worksAt] })).value).toEqual({
      relations: [],
    })
    const graph = await callTool(client, 'read_graph')
    expect(graph.value).toEqual({ entities: [ann, acme], relations: [worksAt] })
    expect(graph.text).toBe(JSON.stringify(graph.value, undefined, 2))
    expect(graph.texts).toHaveLength(1)
  })

  it('takes empty texts, as the reference server does', async () => {
    await using world = await open()
    const { client } = world
    const empty = { name: '', entityType: '', observations: [''] }
    const loose = { from: '', to: '', relationType: '' }
    expect((await callTool(client, 'create_entities', { entities: [empty] })).value).toEqual({
      entities: [empty],
    })
    expect((await callTool(client, 'create_relations', { relations: [loose] })).value).toEqual({
      relations: [loose],
    })
    expect((await callTool(client, 'open_nodes', { names: [''] })).value).toEqual({
      entities: [empty],
      relations: [loose],
    })
    await callTool(client, 'delete_entities', { entityNames: [''] })
    expect((await callTool(client, 'read_graph')).value).toEqual({ entities: [], relations: [] })
  })

  it('adds observations that are new, and none at all when an entity is unknown', async () => {
    await using world = await open()
    const { client } = world
    await callTool(client, 'create_entities', { entities: [ann] })
    const add = (...names: readonly string[]) =>
      callTool(client, 'add_observations', {
        observations: names.map((entityName) => ({ entityName, contents: ['likes tea', 'has a cat'] })),
      })
    const failed = await add('Ann', 'Nobody')
    expect(failed).toMatchObject({ isError: true, text: 'Entity with name Nobody not found' })
    expect((await add('Ann')).value).toEqual({
      results: [{ entityName: 'Ann', addedObservations: ['has a cat'] }],
    })
    expect((await callTool(client, 'read_graph')).value).toMatchObject({
      entities: [{ observations: ['likes tea', 'works at Acme', 'has a cat'] }],
    })
  })

  it('finds nodes by a part of their name, type or observations, with every relation of theirs', async () => {
    await using world = await open()
    const { client } = world
    await callTool(client, 'create_entities', { entities: [ann, acme] })
    await callTool(client, 'create_relations', { relations: [worksAt] })
    const search = async (query: string) => (await callTool(client, 'search_nodes', { query })).value
    expect(await search('TEA')).toEqual({ entities: [ann], relations: [worksAt] })
    expect(await search('compan')).toEqual({ entities: [acme], relations: [worksAt] })
    expect(await search('nothing')).toEqual({ entities: [], relations: [] })
    expect((await callTool(client, 'open_nodes', { names: ['Acme', 'Nobody'] })).value).toEqual({
      entities: [acme],
      relations: [worksAt],
    })
  })

  it('deletes with the sentences of the reference server, passing over what there is not', async () => {
    await using world = await open()
    const { client } = world
    await callTool(client, 'create_entities', { entities: [ann, acme] })
    await callTool(client, 'create_relations', { relations: [worksAt] })
    const deletions = [
      { entityName: 'Ann', observations: ['likes tea', 'unsaid'] },
      { entityName: 'Nobody', observations: ['x'] },
    ]
    expect((await callTool(client, 'delete_observations', { deletions })).text).toBe(
      'Observations deleted successfully',
    )
    expect((await callTool(client, 'open_nodes', { names: ['Ann'] })).value).toMatchObject({
      entities: [{ observations: ['works at Acme'] }],
    })
    const gone = await callTool(client, 'delete_entities', { entityNames: ['Acme', 'Nobody'] })
    expect([gone.text, gone.value]).toEqual([
      'Entities deleted successfully',
      { success: true, message: 'Entities deleted successfully' },
    ])
    expect((await callTool(client, 'read_graph')).value).toMatchObject({ entities: [{}], relations: [] })
    expect((await callTool(client, 'delete_relations', { relations: [worksAt] })).text).toBe(
      'Relations deleted successfully',
    )
    // What was deleted can be told again.
    await callTool(client, 'create_entities', { entities: [acme] })
    expect((await callTool(client, 'open_nodes', { names: ['Acme'] })).value).toMatchObject({
      entities: [acme],
    })
  })

  it('offers the graph as a resource', async () => {
    await using world = await open()
    const { client } = world
    await callTool(client, 'create_entities', { entities: [ann] })
    const { resources } = await client.listResources()
    expect(resources).toMatchObject([{ uri: 'memory://knowledge-graph', mimeType: 'application/json' }])
    const { contents } = await client.readResource({ uri: 'memory://knowledge-graph' })
    const [first] = contents
    expect(first && 'text' in first ? JSON.parse(first.text) : undefined).toEqual({
      entities: [ann],
      relations: [],
    })
  })

  it('takes what the reference server kept in its file', async () => {
    await using world = await open()
    const lines = [
      { type: 'entity', ...ann },
      { type: 'entity', ...acme },
      { type: 'relation', ...worksAt },
    ]
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    const imported = { name: 'memory.jsonl', text }
    expect(await world.run('import:file', imported)).toMatchObject({ format: 'server-memory', imported: 3 })
    expect(await world.run('import:file', imported)).toMatchObject({ imported: 0, skipped: 3 })
    expect((await callTool(world.client, 'read_graph')).value).toEqual({
      entities: [ann, acme],
      relations: [worksAt],
    })
    const again = { type: 'entity', ...ann, observations: ['works at Acme', 'sings'] }
    const empty = { name: '', entityType: '', observations: ['', ''] }
    const loose = { from: '', to: 'Bob', relationType: '' }
    const more = [again, { type: 'entity', ...empty }, { type: 'relation', ...loose }, ...lines]
    const odd = { name: 'odd.jsonl', text: more.map((line) => JSON.stringify(line)).join('\n') }
    await using other = await open()
    expect(await other.run('import:file', odd)).toMatchObject({ imported: 5 })
    const { value } = await callTool(other.client, 'read_graph')
    const [{ observations }] = value['entities'] as [{ observations: string[] }]
    expect(observations).toEqual(['works at Acme', 'sings', 'likes tea'])
    expect(value).toMatchObject({
      entities: [{ name: 'Ann' }, empty, acme],
      relations: [loose, worksAt],
    })
    const broken = { name: 'memory.jsonl', text: `${text}\n{"type":"relation","from":"Ann"}` }
    await expect(world.run('import:file', broken)).rejects.toMatchObject({ message: /to/ })
  })
}
