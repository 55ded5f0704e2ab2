// Describes the edge as an OpenAPI 3.1 document, from the capability table and the texts of the other routes.
// Invariant: the document names exactly the routes of the app; a test compares both.
import type { AnyCapability } from '../../../core/capability/capability.ts'
import { errorTable } from '../../../core/errors.ts'
import { describeCapability, type JsonSchema } from '../../manifest.ts'
import { a2pRoutes } from '../a2p/a2p-app.ts'
import { otherRoutes, type RouteText } from './route-text.ts'
import { isJsonObject } from '../../../core/json/path.ts'

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

const jsonContent = (schema: JsonSchema) => ({ 'application/json': { schema } })
const refTo = (componentPath: string) => ({ $ref: `#/components/${componentPath}` })
const errorResponses = { default: refTo('responses/Error') }

/** Creates the document of an edge that runs the capabilities of `table`. `version`: the version of Daybook. */
export function createOpenApi(table: readonly AnyCapability[], version: string): OpenApi {
  const components = new Components()
  const paths = new Map<string, Record<string, Operation>>()
  const add = (method: string, path: string, operation: Operation) =>
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operation })
  // The other capabilities need private keys or the owner's device; a mirror has neither.
  for (const capability of table.filter(({ runs = 'anywhere' }) => runs === 'anywhere'))
    add('POST', `/v1/books/{book}/capabilities/${capability.id}`, capabilityOperation(capability, components))
  for (const route of otherRoutes) add(route.method, route.path, routeOperation(route))
  for (const { method, path, capability } of a2pRoutes)
    add(
      method,
      `/a2p/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`,
      a2pOperation({ method, path, capability }, table),
    )
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

function capabilityOperation(capability: AnyCapability, components: Components): Operation {
  const { id, summary, effect, input, output } = describeCapability(capability)
  return {
    operationId: id,
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
      ...errorResponses,
    },
  }
}

/** Names of the parameters in a path, written `{name}` or `:name`. */
const pathParameters = (path: string) => [...path.matchAll(/[{:](\w+)\}?/g)].map(([, name]) => name ?? '')

function routeOperation({
  path,
  name,
  summary,
  tag,
  isOpen,
  headers = [],
  body,
  answers,
}: RouteText): Operation {
  const parameters = [...pathParameters(path), ...headers].map((one) => refTo(`parameters/${one}`))
  return {
    operationId: name,
    summary,
    tags: [tag],
    ...(isOpen && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: jsonContent(body) } }),
    responses: { ...toResponses(answers), ...errorResponses },
  }
}

function toResponses(answers: RouteText['answers']) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema }]) => [
      status,
      { description, ...(schema && { content: jsonContent(schema) }) },
    ]),
  )
}

function a2pOperation(
  { method, path, capability: id }: { method: string; path: string; capability: string },
  table: readonly AnyCapability[],
): Operation {
  return {
    operationId: `a2p:${method.toLowerCase()}${path.replaceAll(/[/:]+/g, '-')}`,
    summary: table.find((one) => one.id === id)?.summary ?? id,
    tags: ['a2p'],
    security: [{ signature: [] }, { key: [] }],
    parameters: [
      ...pathParameters(path).map((one) => refTo(`parameters/${one}`)),
      ...(path.startsWith('/profile/') ? [] : [refTo('parameters/bookHeader')]),
    ],
    ...(method === 'GET' ? {} : { requestBody: { content: jsonContent({ type: 'object' }) } }),
    responses: {
      '2XX': { description: 'Done.', content: jsonContent(refTo('schemas/A2pAnswer')) },
      default: { description: 'Refused.', content: jsonContent(refTo('schemas/A2pRefusal')) },
    },
  }
}

const textSchema = (pattern: string) => ({ type: 'string', pattern })
const parameter = (location: 'path' | 'header', name: string, schema: JsonSchema, description: string) => ({
  name,
  in: location,
  required: location === 'path',
  schema,
  description,
})

/** Components that operations share. */
const sharedComponents = {
  securitySchemes: {
    key: {
      type: 'http',
      scheme: 'bearer',
      description: 'An access key of a book, a control token, a JSON Web Token, or the key of the edge.',
    },
    signature: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'A2P-Signature did="…",sig="…",ts="…",nonce="…",aud="…"',
    },
  },
  parameters: {
    book: parameter(
      'path',
      'book',
      textSchema('^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$'),
      'The name of the book.',
    ),
    id: parameter('path', 'id', { type: 'string' }, 'What it is about, by its id.'),
    did: parameter('path', 'did', textSchema('^did:'), 'The DID of a user, an agent or a key.'),
    bookHeader: parameter(
      'header',
      'X-Daybook-Book',
      { type: 'string' },
      'The book; default the one of the edge.',
    ),
    requestId: parameter(
      'header',
      'Idempotency-Key',
      textSchema('^[!-~]{1,200}$'),
      'A name for this request: sent again under it, it takes effect once.',
    ),
    purpose: parameter(
      'header',
      'Daybook-Purpose',
      textSchema('^[ -~]{1,200}$'),
      'What the call is for, in the log of access.',
    ),
    receipt: parameter(
      'header',
      'Daybook-Receipt',
      textSchema('^[!-~]{1,200}$'),
      'The receipt of a consent under which it reads.',
    ),
    messageId: parameter(
      'header',
      'X-P3394-Message-ID',
      textSchema('^[!-~]{1,200}$'),
      'The id of the message, as a request id.',
    ),
  },
  responses: {
    Error: {
      description: 'Refused, with a code that says why and what to do.',
      headers: {
        'Retry-After': { description: 'Seconds, where waiting helps.', schema: { type: 'integer' } },
      },
      content: jsonContent(refTo('schemas/Error')),
    },
  },
  schemas: {
    Error: {
      type: 'object',
      required: ['code', 'message', 'retry', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(errorTable) },
        message: { type: 'string' },
        retry: { type: 'boolean', description: 'Whether the same request may be sent again.' },
        details: { type: 'object', description: '`path` says where; others by code.' },
      },
    },
    A2pAnswer: {
      type: 'object',
      required: ['success', 'data', 'meta'],
      properties: { success: { const: true }, data: {}, meta: { type: 'object' } },
    },
    A2pRefusal: {
      type: 'object',
      required: ['success', 'error'],
      properties: {
        success: { const: false },
        error: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: textSchema('^A2P\\d{3}$'), message: { type: 'string' } },
        },
      },
    },
  },
}

const localRefPrefix = '#/$defs/'

/** Moves `$defs` of schemas into the components of the document. Equal definitions share one component. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  /** The component's name by the definition as JSON. */
  readonly #names = new Map<string, string>()

  /**
   * Returns the schema without `$schema` and `$defs`. Its `$defs` become components, and its references name them.
   * `id`: prefix of the components' names.
   */
  hoist(id: string, { $schema: _dialect, $defs = {}, ...schema }: JsonSchema): JsonSchema {
    const definitions = Object.entries($defs as Readonly<Record<string, JsonSchema>>)
    const names = new Map(
      definitions.map(([name, part]) => [`${localRefPrefix}${name}`, this.#nameOf(part, `${id}.${name}`)]),
    )
    for (const [name, part] of definitions)
      this.schemas[names.get(`${localRefPrefix}${name}`) ?? name] = withRenamedRefs(part, names) as JsonSchema
    return withRenamedRefs(schema, names) as JsonSchema
  }

  #nameOf(definition: JsonSchema, preferredName: string): string {
    const content = JSON.stringify(definition)
    const name = this.#names.get(content) ?? preferredName.replaceAll(/[^\w.-]/g, '-')
    this.#names.set(content, name)
    return name
  }
}

/** Replaces every `$ref` that `names` contains, at any depth. */
function withRenamedRefs(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withRenamedRefs(one, names))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const name = key === '$ref' && typeof one === 'string' ? names.get(one) : undefined
      return [key, name === undefined ? withRenamedRefs(one, names) : `#/components/schemas/${name}`]
    }),
  )
}
