// Describes the edge as an OpenAPI 3.1 document, from the capability table and the texts of the other routes.
// Invariant: the document names exactly the routes of the app, with each status and shape of their answers.
import type { AnyCapability } from '../../../core/capability/capability.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import { createManifest, type JsonSchema, type ManifestEntry } from '../../manifest.ts'
import { a2pRoutes } from '../a2p/a2p-app.ts'
import { a2pTextOf } from './a2p-text.ts'
import { Components, errorResponses, jsonContent, refTo, sharedComponents } from './components.ts'
import { otherRoutes, type RouteText } from './route-text.ts'

interface OpenApi {
  readonly openapi: '3.1.1'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  /** Operations by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, unknown>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly unknown[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: OpenApi['security']
}

/** Creates the document of an edge that runs the capabilities of `table`. `version`: the version of Daybook. */
export function createOpenApi(table: readonly AnyCapability[], version: string): OpenApi {
  const components = new Components()
  const paths = new Map<string, Record<string, Operation>>()
  const add = (method: string, path: string, operation: Operation) =>
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operation })
  const { capabilities } = createManifest(table, { wire: wireVersion, version, transports: [] })
  // The other capabilities need private keys or the owner's device; a mirror has neither.
  for (const entry of capabilities.filter(({ runs }) => runs === 'anywhere'))
    add('POST', `/v1/books/{book}/capabilities/${entry.id}`, capabilityOperation(entry, components))
  for (const route of otherRoutes) add(route.method, route.path, routeOperation(route, components))
  for (const { method, path, capability } of a2pRoutes) {
    const entry = capabilities.find(({ id }) => id === capability)
    if (entry)
      add(
        method,
        `/a2p/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`,
        a2pOperation({ method, path }, entry, components),
      )
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Daybook',
      version,
      summary: 'Long-term memory for agents: the mirror of a book.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: ['edge', 'book', 'sync', 'agents', 'capabilities', 'a2p'].map((name) => ({ name })),
    security: [{ key: [] }],
    paths: Object.fromEntries(paths),
    components: { ...sharedComponents, schemas: { ...sharedComponents.schemas, ...components.schemas } },
  }
}

/** A name that is one of a function too, because generators of clients make functions. */
const operationId = (name: string) => name.replaceAll(/\W+/g, '_')

function capabilityOperation(entry: ManifestEntry, components: Components): Operation {
  const { id, summary, effect, input, output } = entry
  return {
    operationId: operationId(id),
    summary,
    tags: ['capabilities'],
    parameters: [
      refTo('parameters/book'),
      // A read needs no request id.
      ...(effect === 'read' ? [] : [refTo('parameters/requestId')]),
      refTo('parameters/purpose'),
      refTo('parameters/receipt'),
    ],
    requestBody: { required: true, content: jsonContent(components.hoist(id, input)) },
    responses: {
      200: { description: 'Done.', content: jsonContent(components.hoist(id, output)) },
      ...errorResponses('book'),
    },
  }
}

/** Names of the parameters in a path, written `{name}` or `:name`. */
const pathParameters = (path: string) => [...path.matchAll(/[{:](\w+)\}?/g)].map(([, name]) => name ?? '')
const parameterRefs = (path: string, others: readonly string[]) =>
  [...pathParameters(path), ...others].map((one) => refTo(`parameters/${one}`))

function routeOperation(route: RouteText, components: Components): Operation {
  const { path, name, summary, tag, isOpen, parameters = [], body, answers, errors = 'book' } = route
  const refs = parameterRefs(path, parameters)
  const schemaOf = (schema: JsonSchema) => components.hoist(name, schema)
  const responses = Object.entries(answers).map(([status, { description, schema, content }]) => [
    status,
    { description, ...(schema && { content: { ...jsonContent(schemaOf(schema)), ...content } }) },
  ])
  return {
    operationId: name,
    summary,
    tags: [tag],
    ...(isOpen && { security: [] }),
    ...(refs.length > 0 && { parameters: refs }),
    ...(body && { requestBody: { required: true, content: jsonContent(schemaOf(body)) } }),
    responses: { ...Object.fromEntries(responses), ...errorResponses(errors) },
  }
}

function a2pOperation(
  { method, path }: { readonly method: string; readonly path: string },
  entry: ManifestEntry,
  components: Components,
): Operation {
  const { name, query = [], body, data, statuses = [200] } = a2pTextOf(method, path, entry)
  const answer = {
    type: 'object',
    required: ['success', 'data', 'meta'],
    properties: {
      success: { const: true, description: 'True: done' },
      data: { description: 'The answer', ...components.hoist(name, data) },
      meta: { ...refTo('schemas/A2pMeta'), description: 'Facts about the answer' },
    },
  }
  const done = { description: 'Done.', content: jsonContent(answer) }
  const isProfile = path.startsWith('/profile/')
  return {
    operationId: name,
    summary: entry.summary,
    tags: ['a2p'],
    security: [{ signature: [] }, { key: [] }],
    parameters: parameterRefs(path, [...query, ...(isProfile ? [] : ['bookHeader', 'profile']), 'receipt']),
    ...(body && { requestBody: { required: true, content: jsonContent(components.hoist(name, body)) } }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, done])),
      ...errorResponses('a2p'),
    },
  }
}
