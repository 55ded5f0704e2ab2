// Parts of the OpenAPI document that operations share: parameters, errors, schemas.
import { type ErrorCode, errorTable } from '../../../core/errors.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import type { JsonSchema } from '../../manifest.ts'
import { protocolCodes } from '../a2p/envelope.ts'

export const jsonContent = (schema: JsonSchema) => ({ 'application/json': { schema } })
export const refTo = (componentPath: string) => ({ $ref: `#/components/${componentPath}` })

const codes = Object.keys(errorTable) as ErrorCode[]
const codesOf = (status: number) => codes.filter((code) => errorTable[code].status === status)

/** Statuses of errors of a route that opens no book. */
export const openStatuses = [400, 403, 404, 429, 500] as const
/** Statuses of errors of a route that opens a book. */
export const bookStatuses = [
  400, 401, 403, 404, 409, 410, 413, 422, 423, 429, 500, 502, 503, 504, 507,
] as const
const syncStatuses = [...bookStatuses, 426] as const
/** Statuses that the MCP library gives too, with an error of JSON-RPC. */
const mcpStatuses = [400, 403, 404, 406, 413, 415] as const
const a2pStatuses = [400, 401, 403, 404, 413, 429, 500, 502, 503, 504, 507] as const

type ErrorForm = 'open' | 'book' | 'sync' | 'mcp' | 'a2p'

const errorRefs = (prefix: string, statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, refTo(`responses/${prefix}${status}`)]))

const refsByForm = {
  open: errorRefs('Error', openStatuses),
  book: errorRefs('Error', bookStatuses),
  sync: errorRefs('Error', syncStatuses),
  mcp: { ...errorRefs('Error', bookStatuses), ...errorRefs('McpError', mcpStatuses) },
  a2p: errorRefs('A2pRefusal', a2pStatuses),
}

/** Returns the responses of the errors that a route of this form may give. */
export const errorResponses = (form: ErrorForm): Readonly<Record<string, unknown>> => refsByForm[form]

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait, if waiting helps.', schema: { type: 'integer' } },
}

function responsesOf(
  prefix: string,
  statuses: readonly number[],
  { schema, describe }: { readonly schema: JsonSchema; readonly describe: (status: number) => string },
) {
  const response = (status: number) => ({
    description: describe(status),
    headers: retryAfter,
    content: jsonContent(schema),
  })
  return Object.fromEntries(statuses.map((status) => [`${prefix}${status}`, response(status)]))
}

const listOf = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
const describeError = (status: number) => `Refused: ${listOf(codesOf(status)) || 'by the protocol'}.`
const describeRefusal = (status: number) => {
  const matching = Object.entries(protocolCodes).filter(([, row]) => row.status === status)
  return `Refused${matching.length > 0 ? `: ${matching.map(([code, { name }]) => `\`${code}\` (${name})`).join(', ')}` : ''}.`
}

const textSchema = (pattern: string) => ({ type: 'string', pattern })
const parameter = (
  location: 'path' | 'header' | 'query',
  name: string,
  schema: JsonSchema,
  description: string,
) => ({ name, in: location, required: location === 'path', schema, description })
const countSchema = (defaultCount: number) => ({
  type: 'integer',
  minimum: 0,
  maximum: 1000,
  default: defaultCount,
})

const metaSchema = {
  type: 'object',
  description: 'Facts about the answer',
  required: ['requestId', 'timestamp'],
  properties: {
    requestId: { type: 'string', description: 'Id of the request' },
    timestamp: { type: 'string', description: 'Time of the answer (ISO 8601)' },
    agentDid: { type: 'string', description: 'DID of the signer' },
    count: { type: 'integer', description: 'Entries of this page' },
    limit: { type: 'integer', description: 'Most entries of a page' },
    offset: { type: 'integer', description: 'Skipped entries' },
    more: { type: 'boolean', description: 'True: there are more' },
    cursor: { type: 'string', description: '`cursor` for the next page' },
    sealed: { type: 'integer', description: 'Records that the mirror can’t read' },
  },
}

const errorSchema = {
  type: 'object',
  description: 'An error, with its remedy',
  required: ['code', 'message', 'retry', 'details'],
  properties: {
    code: { type: 'string', enum: codes, description: 'Code of the error' },
    message: { type: 'string', description: 'What happened, and what to do' },
    retry: { type: 'boolean', description: 'Whether the same request may be sent again' },
    details: { type: 'object', description: '`path` says where; others by code' },
  },
}

/** Components that operations share. */
export const sharedComponents = {
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
    id: parameter('path', 'id', { type: 'string', minLength: 1 }, 'The id of what is addressed.'),
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
      'The purpose of the call, in the log of access.',
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
    mcpSession: parameter('header', 'Mcp-Session-Id', textSchema('^[!-~]{1,200}$'), 'The connection.'),
    tools: parameter('query', 'tools', { type: 'string' }, 'Sets of tools, as `recall,graph`.'),
    profile: parameter('query', 'profile', { type: 'string' }, 'The DID of the user whose book it is.'),
    scopes: parameter('query', 'scopes', { type: 'string' }, 'Scopes, separated by commas.'),
    category: parameter('query', 'category', { type: 'string' }, 'Only this category and those below it.'),
    memoryType: parameter('query', 'memory_type', { type: 'string' }, 'Only this type of memory.'),
    status: parameter('query', 'status', { type: 'string' }, 'Only of this status.'),
    sensitivity: parameter('query', 'sensitivity', { type: 'string' }, 'Only of this sensitivity.'),
    agent: parameter('query', 'agent', { type: 'string' }, 'Only of this agent.'),
    form: parameter('query', 'form', { type: 'string' }, '`schema`: in the form of the protocol.'),
    limit: parameter('query', 'limit', countSchema(50), 'Most entries of the page.'),
    offset: parameter('query', 'offset', countSchema(0), 'Entries to skip.'),
    cursor: parameter('query', 'cursor', { type: 'string' }, '`cursor` of the page before.'),
  },
  responses: {
    ...responsesOf('Error', syncStatuses, { schema: refTo('schemas/Error'), describe: describeError }),
    ...responsesOf('McpError', mcpStatuses, {
      schema: { anyOf: [refTo('schemas/Error'), refTo('schemas/JsonRpcError')] },
      describe: describeError,
    }),
    ...responsesOf('A2pRefusal', a2pStatuses, {
      schema: refTo('schemas/A2pRefusal'),
      describe: describeRefusal,
    }),
  },
  schemas: {
    Error: errorSchema,
    JsonRpcError: {
      type: 'object',
      description: 'An error of JSON-RPC',
      required: ['jsonrpc', 'error'],
      properties: {
        jsonrpc: { const: '2.0', description: 'Version of JSON-RPC' },
        id: { description: 'Id of the request; null: unknown' },
        error: {
          type: 'object',
          description: 'The error',
          required: ['code', 'message'],
          properties: {
            code: { type: 'integer', description: 'Code of JSON-RPC' },
            message: { type: 'string', description: 'The error as a sentence' },
            data: { description: 'More about the error' },
          },
        },
      },
    },
    A2pMeta: metaSchema,
    A2pRefusal: {
      type: 'object',
      description: 'An error of the a2p protocol',
      required: ['success', 'error', 'meta'],
      properties: {
        success: { const: false, description: 'False: refused' },
        error: {
          type: 'object',
          description: 'The error',
          required: ['code', 'message', 'details'],
          properties: {
            code: { type: 'string', enum: Object.keys(protocolCodes), description: 'Code of the protocol' },
            message: { type: 'string', description: 'What happened, and what to do' },
            details: { type: 'object', description: '`name` of the code; `path` says where' },
            retryAfter: { type: 'integer', description: 'Seconds to wait' },
          },
        },
        meta: { ...refTo('schemas/A2pMeta'), description: 'Facts about the answer' },
      },
    },
  },
} as const

const localRefPrefix = '#/$defs/'

/** Moves `$defs` of schemas into the components of the document. Equal definitions share one component. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  /** The component's name by the definition as JSON. */
  readonly #names = new Map<string, string>()

  /**
   * Returns the schema without `$schema` and `$defs`. Its `$defs` become components, and its references name them.
   * `id`: prefix of the components' names.
   */
  hoist(id: string, { $schema: _dialect, $defs = {}, ...schema }: JsonSchema): JsonSchema {
    const definitions = Object.entries($defs as Readonly<Record<string, JsonSchema>>)
    const refs = new Map<string, JsonSchema>()
    for (const [name, part] of definitions)
      refs.set(`${localRefPrefix}${name}`, isRecursive(part, name) ? anyJson : this.#refOf(part, id, name))
    for (const [name, part] of definitions) {
      const { $ref } = refs.get(`${localRefPrefix}${name}`) ?? {}
      if (typeof $ref === 'string') this.schemas[$ref.slice(schemaPrefix.length)] = readable(part, refs)
    }
    return readable(schema, refs)
  }

  #refOf(definition: JsonSchema, id: string, name: string): JsonSchema {
    const content = JSON.stringify(definition)
    const component = this.#names.get(content) ?? `${id}.${name}`.replaceAll(/\W+/g, '_')
    this.#names.set(content, component)
    return { $ref: `${schemaPrefix}${component}` }
  }
}

const schemaPrefix = '#/components/schemas/'
/** Generators of types and clients can't read a schema that contains itself. The only ones are of any JSON value. */
const anyJson: JsonSchema = { description: 'Any JSON value' }
const isRecursive = (definition: JsonSchema, name: string) =>
  JSON.stringify(definition).includes(`"${localRefPrefix}${name}"`)

/** Replaces every `$ref` that `refs` contains, and removes default values that are objects: generators refuse them. */
function readable(schema: JsonSchema, refs: ReadonlyMap<string, JsonSchema>): JsonSchema {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part)
    return isJsonObject(value) ? readable(value, refs) : value
  }
  const { $ref, ...rest } = schema
  const target = typeof $ref === 'string' ? (refs.get($ref) ?? { $ref }) : {}
  const entries = Object.entries(rest)
    .filter(([key, value]) => key !== 'default' || !isJsonObject(value))
    .map(([key, value]) => [key, part(value)] as const)
  return { ...target, ...Object.fromEntries(entries) }
}
