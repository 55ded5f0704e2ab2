// OpenAPI texts of the routes that are not capabilities.
import { z } from 'zod'
import { ticketAnswer, ticketRequest } from '../../../sync/wire/live-wire.ts'
import type { JsonSchema } from '../../manifest.ts'

export interface RouteText {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** The `operationId`. */
  readonly name: string
  readonly summary: string
  readonly tag: 'edge' | 'book' | 'sync' | 'agents' | 'a2p'
  /** True: the route needs no key. */
  readonly isOpen?: true
  /** Names of header parameters in the document's components, such as `bookHeader`. */
  readonly headers?: readonly string[]
  readonly body?: JsonSchema
  /** Answers by HTTP status. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema?: JsonSchema }>>
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
const objectSchema = (properties: JsonSchema = {}, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
const doneAnswer = (schema?: JsonSchema, description = 'Done.') => ({
  200: { description, ...(schema && { schema }) },
})

const textsSchema = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: 100,
}
const embedRouteText = {
  method: 'POST',
  summary: 'Vectors of texts, by the embedder of this edge.',
  body: objectSchema({ texts: textsSchema }, ['texts']),
  answers: doneAnswer(
    objectSchema(
      {
        embeddings: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
        dimensions: { type: 'integer' },
      },
      ['embeddings', 'dimensions'],
    ),
  ),
} as const
const confirmBody = objectSchema({
  confirm: { type: 'string', description: 'The name of the book.' },
  epoch: { type: 'string', description: 'The epoch of the mirror that is meant.' },
})
const messageSchema = { description: 'A message of P3394, in either of its forms.', ...objectSchema() }

export const otherRoutes: readonly RouteText[] = [
  {
    method: 'GET',
    path: '/health',
    name: 'health',
    summary: 'Whether the edge answers; with a key, how the book is that is named.',
    tag: 'edge',
    isOpen: true,
    headers: ['bookHeader'],
    answers: doneAnswer(
      objectSchema(
        {
          ok: { type: 'boolean' },
          wire: { type: 'integer' },
          database: { enum: ['up', 'down'] },
          book: { type: 'object' },
        },
        ['ok', 'wire'],
      ),
    ),
  },
  {
    method: 'GET',
    path: '/manifest',
    name: 'manifest',
    summary: 'Every capability with its schemas.',
    tag: 'edge',
    isOpen: true,
    answers: doneAnswer(objectSchema({ capabilities: { type: 'array' } }, ['capabilities'])),
  },
  {
    method: 'GET',
    path: '/openapi.json',
    name: 'openapi',
    summary: 'This document.',
    tag: 'edge',
    isOpen: true,
    answers: doneAnswer(objectSchema({ openapi: { const: '3.1.1' } }, ['openapi'])),
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/v1/books/{book}/mcp',
    name: 'mcpResource',
    summary: 'Where a client signs its user in for the MCP address of a book (RFC 9728).',
    tag: 'edge',
    isOpen: true,
    answers: doneAnswer(
      objectSchema(
        {
          resource: { type: 'string' },
          resource_name: { type: 'string' },
          authorization_servers: { type: 'array', items: { type: 'string' } },
          bearer_methods_supported: { type: 'array', items: { const: 'header' } },
        },
        ['resource', 'authorization_servers'],
      ),
    ),
  },
  { ...embedRouteText, path: '/embed', name: 'embed', tag: 'edge' },
  { ...embedRouteText, path: '/v1/books/{book}/embed', name: 'embedOfBook', tag: 'book' },
  {
    method: 'PUT',
    path: '/v1/books/{book}',
    name: 'beginBook',
    summary: 'Begins an erased book of that name again.',
    tag: 'book',
    body: confirmBody,
    answers: doneAnswer(objectSchema()),
  },
  {
    method: 'DELETE',
    path: '/v1/books/{book}',
    name: 'eraseBook',
    summary: 'Erases the book at its mirror. It cannot be undone.',
    tag: 'book',
    body: confirmBody,
    answers: doneAnswer(objectSchema()),
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/inbox',
    name: 'sendToInbox',
    summary: 'A message for an agent of the book.',
    tag: 'agents',
    headers: ['requestId'],
    body: objectSchema(
      { text: { type: 'string' }, to: { type: 'string' }, subject: { type: 'string' }, data: {} },
      ['text'],
    ),
    answers: {
      200: { description: 'It was sent before.', schema: objectSchema({ id: { type: 'string' } }, ['id']) },
      201: { description: 'Sent.', schema: objectSchema({ id: { type: 'string' } }, ['id']) },
    },
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/sync',
    name: 'sync',
    summary:
      'One round of sync between a device and the mirror, as the specification of the protocol has it.',
    tag: 'sync',
    body: objectSchema(
      {
        p: { type: 'integer' },
        device: { type: 'string' },
        ops: { type: 'array' },
        pull: { type: 'object' },
      },
      ['p', 'device'],
    ),
    answers: doneAnswer(objectSchema()),
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/live',
    name: 'ticket',
    summary: 'A ticket for a live line.',
    tag: 'sync',
    body: schemaOf(ticketRequest, 'input'),
    answers: doneAnswer(schemaOf(ticketAnswer, 'output')),
  },
  {
    method: 'GET',
    path: '/v1/books/{book}/live',
    name: 'line',
    summary: 'The live line: a WebSocket, with the ticket as a subprotocol.',
    tag: 'sync',
    isOpen: true,
    answers: { 101: { description: 'The line is open.' } },
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/mcp',
    name: 'mcp',
    summary: 'The Model Context Protocol over Streamable HTTP.',
    tag: 'agents',
    body: objectSchema({ jsonrpc: { const: '2.0' }, method: { type: 'string' } }, ['jsonrpc']),
    answers: { ...doneAnswer(objectSchema()), 202: { description: 'Taken; there is nothing to answer.' } },
  },
  {
    method: 'DELETE',
    path: '/v1/books/{book}/mcp',
    name: 'endMcp',
    summary: 'Ends a connection of the Model Context Protocol, and its persona’s session.',
    tag: 'agents',
    answers: { 204: { description: 'It has ended.' } },
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/messages',
    name: 'messageToBook',
    summary: 'A message of P3394, answered with one.',
    tag: 'agents',
    headers: ['messageId'],
    body: messageSchema,
    answers: doneAnswer(messageSchema),
  },
  {
    method: 'POST',
    path: '/messages',
    name: 'message',
    summary: 'A message of P3394 to the book that a header names.',
    tag: 'agents',
    headers: ['bookHeader', 'messageId'],
    body: messageSchema,
    answers: doneAnswer(messageSchema),
  },
  {
    method: 'POST',
    path: '/capabilities/{id}',
    name: 'capability',
    summary: 'A capability of the book that a header names.',
    tag: 'agents',
    headers: ['bookHeader', 'messageId', 'requestId'],
    body: objectSchema(),
    answers: doneAnswer(),
  },
  {
    method: 'GET',
    path: '/a2p/v1/health',
    name: 'a2pHealth',
    summary: 'Whether the a2p protocol is answered here.',
    tag: 'a2p',
    isOpen: true,
    answers: doneAnswer(objectSchema()),
  },
  {
    method: 'GET',
    path: '/a2p/v1/did/{did}',
    name: 'a2pDid',
    summary: 'The document of a DID that is a key.',
    tag: 'a2p',
    isOpen: true,
    answers: doneAnswer(objectSchema()),
  },
]
