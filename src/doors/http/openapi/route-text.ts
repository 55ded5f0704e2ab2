// OpenAPI texts of the routes that are not capabilities.
import { z } from 'zod'
import type { Schema } from '../../../core/schema.ts'
import { ticketAnswer, ticketRequest } from '../../../sync/wire/live-wire.ts'
import { syncRequest, syncResponse } from '../../../sync/wire/protocol.ts'
import { type JsonSchema, toJsonSchema } from '../../manifest.ts'

export interface RouteText {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** The `operationId`. */
  readonly name: string
  readonly summary: string
  readonly tag: 'edge' | 'book' | 'sync' | 'agents' | 'a2p'
  /** True: the route needs no key. */
  readonly isOpen?: true
  /** Names of parameters in the document's components, such as `bookHeader`. */
  readonly parameters?: readonly string[]
  readonly body?: JsonSchema
  /** Answers by HTTP status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>
  /** The form of its errors. Default: `book`. */
  readonly errors?: 'open' | 'book' | 'sync' | 'mcp' | 'a2p'
}

interface RouteAnswer {
  readonly description: string
  readonly schema?: JsonSchema
  /** Further content types. */
  readonly content?: Readonly<Record<string, unknown>>
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output' = 'output') =>
  toJsonSchema(schema as unknown as Schema, io, 'daybook:route')
const doneAnswer = (schema: z.ZodType) => ({ 200: { description: 'Done.', schema: schemaOf(schema) } })

const text = z.string()
const time = text.describe('Time (ISO 8601)')
const isDone = (fact: string) => z.boolean().describe(fact)
const anyObject = z.looseObject({})

const embedRouteText = {
  method: 'POST',
  summary: 'Vectors of texts, by the embedder of this edge.',
  body: schemaOf(z.object({ texts: z.array(text).min(1).max(100).describe('Texts to embed') }), 'input'),
  answers: doneAnswer(
    z.object({
      embeddings: z.array(z.array(z.number())).describe('One vector for each text, in their order'),
      dimensions: z.int().describe('Length of a vector'),
    }),
  ),
} as const
const confirmBody = schemaOf(
  z.strictObject({
    confirm: text.max(100).optional().describe('The name of the book, as confirmation'),
    epoch: text
      .regex(/^e_[A-Za-z0-9]{1,60}$/)
      .optional()
      .describe('The last epoch of the device, the random name of its sync sequence'),
  }),
  'input',
)
const sentLetter = z.object({
  id: text.describe('Id of the message'),
  sent: isDone('False: it was sent before'),
})

const messagePart = z.looseObject({
  type: text.describe('Type of the part, such as `json`'),
  data: z.unknown().optional().describe('Content of the part'),
})
const address = z
  .union([text, z.looseObject({ agent_id: text.describe('Name of the agent') })])
  .describe('An address, as a URI or an object')
const party = z.looseObject({ agent_id: text.describe('Name of the agent') })
const shared = {
  session_id: text.optional().describe('Id of the session'),
}
/** Both forms of P3394. */
const message = z
  .union([
    z.looseObject({
      id: text.min(1).describe('Id of the message'),
      type: text.optional().describe('`request`, `notification`, `response` or `error`'),
      source: address.optional(),
      destination: address,
      content: z.array(messagePart).min(1).describe('Parts of the message'),
      ...shared,
    }),
    z.looseObject({
      spec_version: z.literal('p3394/1.0').describe('Version of the form'),
      message_id: text.min(1).describe('Id of the message'),
      kind: text.describe('`message` or `error`'),
      performative: text.describe('`request`, `response` or `error`'),
      sender: party.describe('The sender'),
      recipients: z.array(party).describe('The receivers'),
      payload: z
        .looseObject({ parts: z.array(messagePart).min(1).describe('Parts of the message') })
        .describe('Content of the message'),
      idempotency_key: text.optional().describe('Sent twice under it, the message takes effect once'),
      ...shared,
    }),
  ])
  .describe('A message of P3394, in either of its forms')
const answerMessage = z
  .looseObject({
    reply_to: text.nullable().describe('Id of the answered message'),
    ...shared,
  })
  .describe('An answer in the form of the message')
const messageText = {
  body: schemaOf(message, 'input'),
  answers: doneAnswer(answerMessage),
}

const health = z.object({
  ok: isDone('True: the edge answers'),
  wire: z.int().describe('Version of the sync protocol'),
  database: z.enum(['up', 'down']).optional().describe('State of the database of this server'),
  book: z
    .object({
      name: text.describe('Name of the book'),
      durability: text.describe('Storage of the book'),
      degraded: z.array(text).describe('Faults, as sentences'),
      records: z.record(text, z.int()).describe('Number of live records of each kind'),
    })
    .optional()
    .describe('With a key: state of the named book'),
})
const manifest = z.looseObject({
  name: z.literal('daybook').describe('Name of the program'),
  wire: z.int().describe('Version of the sync protocol'),
  agent: anyObject.describe('The book as an agent, with its transports'),
  capabilities: z.array(anyObject).describe('Every capability, with its schemas'),
})
const resource = z.object({
  resource: text.describe('Address of the resource'),
  resource_name: text.describe('Name of the resource, for people'),
  authorization_servers: z.array(text).describe('Addresses of the identity provider'),
  bearer_methods_supported: z.array(z.literal('header')).describe('Ways to send the token'),
})
const rpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0').describe('Version of JSON-RPC'),
    id: z.union([text, z.int()]).optional().describe('Id of the request; absent: a notification'),
    method: text.optional().describe('Name of the method'),
    params: anyObject.optional().describe('Input of the method'),
  })
  .describe('A message of the Model Context Protocol')
const didDocument = z.object({
  '@context': z.array(text).describe('Contexts of JSON-LD'),
  id: text.describe('The DID'),
  verificationMethod: z.array(z.record(text, text)).describe('Its keys'),
  authentication: z.array(text).describe('Keys that sign in'),
  assertionMethod: z.array(text).describe('Keys that make statements'),
})
const a2pMeta = z.object({
  requestId: text.describe('Id of the request'),
  timestamp: time.describe('Time of the answer (ISO 8601)'),
})
const a2pAnswer = (data: z.ZodType) =>
  z.object({
    success: z.literal(true).describe('True: done'),
    data: data.describe('The answer'),
    meta: a2pMeta.describe('Facts about the answer'),
  })

const edgeRoutes: readonly RouteText[] = [
  {
    method: 'GET',
    path: '/health',
    name: 'health',
    summary: 'Whether the edge answers; with a key, the state of the named book.',
    tag: 'edge',
    isOpen: true,
    parameters: ['bookHeader'],
    answers: doneAnswer(health),
  },
  {
    method: 'GET',
    path: '/manifest',
    name: 'manifest',
    summary: 'Every capability with its schemas.',
    tag: 'edge',
    isOpen: true,
    answers: doneAnswer(manifest),
    errors: 'open',
  },
  {
    method: 'GET',
    path: '/openapi.json',
    name: 'openapi',
    summary: 'This document.',
    tag: 'edge',
    isOpen: true,
    answers: doneAnswer(
      z.looseObject({
        openapi: z.literal('3.1.1').describe('Version of OpenAPI'),
        paths: anyObject.describe('Operations by path'),
        components: anyObject.describe('Shared parts'),
      }),
    ),
    errors: 'open',
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/v1/books/{book}/mcp',
    name: 'mcpResource',
    summary: 'The identity provider for the MCP address of a book (RFC 9728).',
    tag: 'edge',
    isOpen: true,
    answers: doneAnswer(resource),
    errors: 'open',
  },
  { ...embedRouteText, path: '/embed', name: 'embed', tag: 'edge' },
  { ...embedRouteText, path: '/v1/books/{book}/embed', name: 'embedOfBook', tag: 'book' },
]

const bookRoutes: readonly RouteText[] = [
  {
    method: 'PUT',
    path: '/v1/books/{book}',
    name: 'beginBook',
    summary: 'Begins an erased book of that name again.',
    tag: 'book',
    body: confirmBody,
    answers: doneAnswer(z.object({ begun: isDone('False: there is a book, and nothing changed') })),
  },
  {
    method: 'DELETE',
    path: '/v1/books/{book}',
    name: 'eraseBook',
    summary: 'Erases the book at its mirror. It cannot be undone.',
    tag: 'book',
    body: confirmBody,
    answers: doneAnswer(
      z.object({
        erased: z.literal(true).describe('True: the book is erased'),
        at: time.describe('Time of the erasure (ISO 8601)'),
      }),
    ),
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/sync',
    name: 'sync',
    summary: 'One round of sync between a device and the mirror, by the specification of the protocol.',
    tag: 'sync',
    body: toJsonSchema(syncRequest as unknown as Schema, 'input', 'wire:sync'),
    answers: {
      200: {
        description: 'Done.',
        schema: toJsonSchema(syncResponse as unknown as Schema, 'output', 'wire:sync'),
      },
    },
    errors: 'sync',
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/live',
    name: 'ticket',
    summary: 'A ticket for a live line.',
    tag: 'sync',
    body: toJsonSchema(ticketRequest as unknown as Schema, 'input', 'wire:live'),
    answers: {
      200: {
        description: 'Done.',
        schema: schemaOf(
          z.object({
            ticket: ticketAnswer.shape.ticket.describe('The ticket, as a subprotocol of the WebSocket'),
            expiresInMs: z.int().describe('Milliseconds until the ticket expires'),
          }),
        ),
      },
    },
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
]

const agentRoutes: readonly RouteText[] = [
  {
    method: 'POST',
    path: '/v1/books/{book}/inbox',
    name: 'sendToInbox',
    summary: 'A message for an agent of the book.',
    tag: 'agents',
    parameters: ['requestId'],
    body: schemaOf(
      z.object({
        text: text.describe('The text'),
        to: text.optional().describe('Name of the receiver. Default: every agent'),
        subject: text.optional().describe('The subject'),
        data: z.unknown().optional().describe('Data for programs'),
      }),
      'input',
    ),
    answers: {
      200: { description: 'It was sent before.', schema: schemaOf(sentLetter) },
      201: { description: 'Sent.', schema: schemaOf(sentLetter) },
    },
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/mcp',
    name: 'mcp',
    summary: 'The Model Context Protocol over Streamable HTTP.',
    tag: 'agents',
    parameters: ['tools', 'mcpSession'],
    body: schemaOf(rpcMessage, 'input'),
    answers: {
      200: {
        description: 'The answer, as one message or as a stream of events.',
        schema: schemaOf(
          z.looseObject({ jsonrpc: z.literal('2.0').describe('Version of JSON-RPC') }).describe('The answer'),
        ),
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      202: { description: 'Taken; there is nothing to answer.' },
    },
    errors: 'mcp',
  },
  {
    method: 'DELETE',
    path: '/v1/books/{book}/mcp',
    name: 'endMcp',
    summary: 'Ends a connection of the Model Context Protocol, and its persona’s session.',
    tag: 'agents',
    parameters: ['mcpSession'],
    answers: { 204: { description: 'It has ended.' } },
  },
  {
    method: 'POST',
    path: '/v1/books/{book}/messages',
    name: 'messageToBook',
    summary: 'A message of P3394, answered with one.',
    tag: 'agents',
    ...messageText,
  },
  {
    method: 'POST',
    path: '/messages',
    name: 'message',
    summary: 'A message of P3394 to the book that a header names.',
    tag: 'agents',
    parameters: ['bookHeader'],
    ...messageText,
  },
  {
    method: 'POST',
    path: '/capabilities/{id}',
    name: 'capability',
    summary: 'A capability of the book that a header names.',
    tag: 'agents',
    parameters: ['bookHeader', 'messageId', 'requestId'],
    body: schemaOf(
      z.looseObject({
        message_id: text.optional().describe('Id of the message, as a request id'),
        source: z.unknown().optional().describe('The sender'),
        content: anyObject.optional().describe('Input of the capability, in the shape of P3394'),
      }),
      'input',
    ),
    answers: doneAnswer(z.unknown().describe('The answer of the capability')),
  },
]

const a2pOpenRoutes: readonly RouteText[] = [
  {
    method: 'GET',
    path: '/a2p/v1/health',
    name: 'a2pHealth',
    summary: 'Whether the a2p protocol is answered here.',
    tag: 'a2p',
    isOpen: true,
    answers: doneAnswer(
      a2pAnswer(
        z.object({
          status: text.describe('`ok`'),
          version: text.describe('Version of the protocol'),
        }),
      ),
    ),
    errors: 'a2p',
  },
  {
    method: 'GET',
    path: '/a2p/v1/did/{did}',
    name: 'a2pDid',
    summary: 'The document of a DID that is a key.',
    tag: 'a2p',
    isOpen: true,
    answers: doneAnswer(a2pAnswer(didDocument)),
    errors: 'a2p',
  },
]

export const otherRoutes: readonly RouteText[] = [
  ...edgeRoutes,
  ...bookRoutes,
  ...agentRoutes,
  ...a2pOpenRoutes,
]
