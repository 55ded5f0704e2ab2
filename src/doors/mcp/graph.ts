// A knowledge graph over a book: entities with observations, and relations. Each entity or relation is a fact whose
// id is derived from its names.
// Invariant: a call finds its errors before its first write.
import { defined } from '../../core/defined.ts'
import { entityId, entitySchema, relationId, relationSchema } from '../../core/text/name-id.ts'
import { DaybookError } from '../../core/errors.ts'

export interface Entity {
  readonly name: string
  readonly entityType: string
  readonly observations: readonly string[]
}

export interface Relation {
  readonly from: string
  readonly to: string
  readonly relationType: string
}

export interface KnowledgeGraph {
  readonly entities: readonly Entity[]
  readonly relations: readonly Relation[]
}

/** Calls a verb of the book. */
export type GraphCall = (id: string, input: unknown) => Promise<unknown>

interface FactPage {
  readonly records: readonly { readonly data: unknown }[]
  readonly cursor?: string
}

const pageSize = 1000
/** Maximum entities of a graph that is read as a whole, and maximum relations. */
const maxGraphSize = 50_000

export async function readGraph(call: GraphCall): Promise<KnowledgeGraph> {
  return {
    entities: await readAllFacts<Entity>(call, entitySchema),
    relations: await readAllFacts<Relation>(call, relationSchema),
  }
}

/** Returns the entities whose name, type or observations contain `query` (ignoring case), and their relations. */
export async function searchNodes(call: GraphCall, query: string): Promise<KnowledgeGraph> {
  const lowerQuery = query.toLowerCase()
  const containsQuery = (text: string) => text.toLowerCase().includes(lowerQuery)
  return subgraph(
    await readGraph(call),
    ({ name, entityType, observations }) =>
      containsQuery(name) || containsQuery(entityType) || observations.some(containsQuery),
  )
}

/** Returns the entities with these names, and their relations. */
export async function openNodes(call: GraphCall, names: readonly string[]): Promise<KnowledgeGraph> {
  const wanted = new Set(names)
  return subgraph(await readGraph(call), ({ name }) => wanted.has(name))
}

/** Stores the entities whose name is new, and returns them. */
export async function createEntities(call: GraphCall, entities: readonly Entity[]): Promise<Entity[]> {
  const newEntities = new Map<string, Entity>()
  for (const entity of entities) {
    if (!newEntities.has(entity.name) && !(await findEntity(call, entity.name)))
      newEntities.set(entity.name, entity)
  }
  for (const entity of newEntities.values()) await storeEntity(call, entity)
  return [...newEntities.values()]
}

/** Stores the relations that are new, and returns them. */
export async function createRelations(call: GraphCall, relations: readonly Relation[]): Promise<Relation[]> {
  const newRelations = new Map<string, Relation>()
  for (const relation of relations) {
    const id = idOfRelation(relation)
    if (!newRelations.has(id) && !(await call('kstar:get_record', { id }))) newRelations.set(id, relation)
  }
  for (const [id, { from, to, relationType }] of newRelations)
    await call('kstar:store_fact', { id, schema: relationSchema, data: { from, to, relationType } })
  return [...newRelations.values()]
}

export interface AddedObservations {
  readonly entityName: string
  readonly addedObservations: readonly string[]
}

/** Adds new observations to entities. If a name is unknown, adds nothing and throws `not-found`. */
export async function addObservations(
  call: GraphCall,
  additions: readonly { readonly entityName: string; readonly contents: readonly string[] }[],
): Promise<AddedObservations[]> {
  const entities = new Map<string, Entity>()
  const results: AddedObservations[] = []
  for (const { entityName, contents } of additions) {
    const entity = entities.get(entityName) ?? (await findEntity(call, entityName))
    if (!entity) throw new DaybookError('not-found', `Entity with name ${entityName} not found.`)
    const addedObservations = contents.filter((content) => !entity.observations.includes(content))
    const observations = [...entity.observations, ...addedObservations]
    entities.set(entityName, { ...entity, observations })
    results.push({ entityName, addedObservations })
  }
  for (const [name, entity] of entities) {
    const isChanged = results.some(
      ({ entityName, addedObservations }) => entityName === name && addedObservations.length > 0,
    )
    if (isChanged) await storeEntity(call, entity)
  }
  return results
}

/** Forgets entities and all their relations. Ignores unknown names. */
export async function deleteEntities(call: GraphCall, names: readonly string[]): Promise<void> {
  const deletedNames = new Set(names)
  const relations = await readAllFacts<Relation>(call, relationSchema)
  await deleteRelations(
    call,
    relations.filter(({ from, to }) => deletedNames.has(from) || deletedNames.has(to)),
  )
  for (const name of deletedNames) await forgetIfStored(call, entityId(name))
}

/** Removes observations from entities. Ignores unknown names and texts. */
export async function deleteObservations(
  call: GraphCall,
  deletions: readonly { readonly entityName: string; readonly observations: readonly string[] }[],
): Promise<void> {
  for (const { entityName, observations: deleted } of deletions) {
    const entity = await findEntity(call, entityName)
    if (!entity?.observations.some((one) => deleted.includes(one))) continue
    const observations = entity.observations.filter((one) => !deleted.includes(one))
    await storeEntity(call, { ...entity, observations })
  }
}

export async function deleteRelations(call: GraphCall, relations: readonly Relation[]): Promise<void> {
  for (const relation of relations) await forgetIfStored(call, idOfRelation(relation))
}

const idOfRelation = ({ from, to, relationType }: Relation) => relationId(from, to, relationType)

async function findEntity(call: GraphCall, name: string): Promise<Entity | undefined> {
  const record = (await call('kstar:get_record', { id: entityId(name) })) as { readonly data: Entity } | null
  return record?.data
}

async function storeEntity(call: GraphCall, { name, entityType, observations }: Entity): Promise<void> {
  const data = { name, entityType, observations }
  await call('kstar:store_fact', { id: entityId(name), schema: entitySchema, data })
}

async function forgetIfStored(call: GraphCall, id: string): Promise<void> {
  if (await call('kstar:get_record', { id })) await call('kstar:forget', { id })
}

/** Returns the data of every fact of a schema, oldest first. Throws `too-large` if more than `maxGraphSize` exist. */
async function readAllFacts<Data>(call: GraphCall, schema: string): Promise<Data[]> {
  const found: Data[] = []
  for (let cursor: string | undefined; ;) {
    const page = (await call('kstar:query_facts', {
      schema,
      orderBy: 'created_at',
      limit: pageSize,
      ...defined({ cursor }),
    })) as FactPage
    found.push(...page.records.map(({ data }) => data as Data))
    cursor = page.cursor
    if (cursor === undefined) return found
    if (found.length >= maxGraphSize) {
      throw new DaybookError(
        'too-large',
        `The graph has more than ${maxGraphSize} nodes or relations: search with the set \`recall\` instead.`,
        { details: { limit: maxGraphSize } },
      )
    }
  }
}

/** The entities that match, and every relation with at least one of them. */
function subgraph(
  { entities, relations }: KnowledgeGraph,
  isMatch: (entity: Entity) => boolean,
): KnowledgeGraph {
  const found = entities.filter(isMatch)
  const names = new Set(found.map(({ name }) => name))
  return { entities: found, relations: relations.filter(({ from, to }) => names.has(from) || names.has(to)) }
}
