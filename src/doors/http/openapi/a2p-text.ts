// OpenAPI texts of the routes of the a2p protocol: parameters of the query, bodies, and the data of answers.
import { z } from 'zod'
import { isJsonObject } from '../../../core/json/path.ts'
import type { Schema } from '../../../core/schema.ts'
import { type JsonSchema, type ManifestEntry, toJsonSchema } from '../../manifest.ts'
import { accessBody, registerBody, reviewBody } from '../a2p/a2p-routes.ts'

interface A2pText {
  /** The `operationId`. */
  readonly name: string
  /** Names of query parameters in the document's components. */
  readonly query?: readonly string[]
  readonly body?: JsonSchema
  readonly data: JsonSchema
  /** Statuses of success. Default: 200. */
  readonly statuses?: readonly number[]
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output' = 'output') =>
  toJsonSchema(schema as unknown as Schema, io, 'a2p:route')

/** Returns the schema of a field of the answer of `entry`, with the definitions that it uses. */
function answerField({ output }: ManifestEntry, name: string): JsonSchema {
  const { properties, $defs } = output
  const field = isJsonObject(properties) ? (properties[name] as JsonSchema | undefined) : undefined
  return { ...field, ...(isJsonObject($defs) && { $defs }) }
}

/** Returns `schema` without some properties. */
function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties = {}, required = [], ...rest } = schema
  const others = Object.entries(properties as object).filter(([name]) => !names.includes(name))
  return {
    ...rest,
    properties: Object.fromEntries(others),
    required: (required as readonly string[]).filter((name) => !names.includes(name)),
  }
}

const text = z.string()
const timeText = (fact: string) => text.describe(`${fact} (ISO 8601)`)
const texts = z.array(text)
const proposalId = text.describe('Id of the proposal')
const hiddenText = z
  .array(z.record(z.string(), z.unknown()))
  .optional()
  .describe('Invisible characters of the texts')

const receiptData = z.object({
  receiptId: text.describe('Id of the receipt'),
  userDid: text.describe('DID of the user'),
  agentDid: text.describe('DID of the agent that may read'),
  grantedScopes: texts.describe('Granted scopes'),
  deniedScopes: texts.optional().describe('Scopes that were not granted'),
  permissions: texts.optional().describe('Levels of the allowing policies'),
  purpose: z
    .object({
      type: text.optional().describe('Type of the purpose'),
      description: text.optional().describe('Description for people'),
      legalBasis: text.optional().describe('Legal basis of the purpose (GDPR)'),
    })
    .describe('Purpose of the reading'),
  consentMethod: text.describe('Way of the grant'),
  grantedAt: timeText('Time of the grant'),
  expiresAt: timeText('Its end').optional(),
  status: text.describe('State of the receipt'),
  revokedAt: timeText('Time of the revocation').optional(),
  retention: texts.optional().describe('Times for which the reader may keep the data'),
})
const agentData = z.object({
  id: text.describe('DID of the agent'),
  profileType: z.literal('agent').describe('Type of the profile'),
  identity: z
    .object({
      did: text.describe('DID of the agent'),
      name: text.describe('Name of the agent'),
      description: text.optional().describe('Description for people'),
    })
    .describe('The agent'),
  publicKey: text.optional().describe('Ed25519 key in base64'),
  keyType: z.literal('Ed25519').describe('Type of the key'),
  status: text.describe('State of the agent'),
  registeredAt: timeText('Time of the registration').optional(),
  revokedAt: timeText('Time of the revocation').optional(),
})

type TextOf = (entry: ManifestEntry) => A2pText

/** By the method and the path below `/a2p/v1`. */
const textsByRoute: Readonly<Record<string, TextOf>> = {
  'GET /profile/:did': ({ output }) => ({
    name: 'profileOfUser',
    query: ['scopes'],
    data: without(output, ['sealed']),
  }),
  'GET /profile/:did/memories': (entry) => ({
    name: 'memoriesOfUser',
    query: ['category', 'memoryType', 'status', 'sensitivity', 'limit', 'offset', 'cursor'],
    data: answerField(entry, 'memories'),
  }),
  'POST /profile/:did/memories': ({ input }) => ({
    name: 'storeMemoryOfUser',
    body: input,
    statuses: [200, 201],
    data: schemaOf(
      z.object({
        memoryId: text.describe('Id of the memory'),
        status: text.describe('Status of the memory'),
        result: text.describe('`stored`, or `unchanged` if it was stored before'),
        storedAt: timeText('Time of storing').optional(),
      }),
    ),
  }),
  'POST /profile/:did/memories/propose': ({ input }) => ({
    name: 'proposeMemoryToUser',
    body: input,
    statuses: [201],
    data: schemaOf(
      z.object({
        proposalId,
        status: text.describe('Status of the proposal'),
        expiresAt: timeText('Its end').optional(),
        createdAt: timeText('Time of the proposal').optional(),
        result: text.describe('`proposed`, or `duplicate` if it was proposed before'),
        hidden: hiddenText,
      }),
    ),
  }),
  'GET /profile/:did/proposals': (entry) => ({
    name: 'proposalsOfUser',
    query: ['status', 'agent', 'form', 'limit', 'cursor'],
    data: answerField(entry, 'proposals'),
  }),
  'GET /profile/:did/proposals/:id': (entry) => {
    const { items, ...rest } = answerField(entry, 'proposals')
    return {
      name: 'proposalOfUser',
      query: ['form'],
      data: { ...(items as JsonSchema), ...(isJsonObject(rest['$defs']) && { $defs: rest['$defs'] }) },
    }
  },
  'POST /profile/:did/proposals/:id/review': () => ({
    name: 'reviewProposalOfUser',
    body: schemaOf(reviewBody, 'input'),
    data: schemaOf(
      z.object({
        proposalId,
        status: text.describe('Status of the proposal'),
        memoryId: text.optional().describe('Id of the memory that it made'),
        edited: z.literal(true).optional().describe('True: approved with changes'),
        reopenUntil: timeText('Time until which the review can be undone').optional(),
      }),
    ),
  }),
  'POST /profile/:did/proposals/:id/withdraw': ({ input }) => ({
    name: 'withdrawProposalOfUser',
    body: without(input, ['id']),
    data: schemaOf(z.object({ proposalId, status: text.describe('Status of the proposal') })),
  }),
  'POST /profile/:did/access': () => ({
    name: 'requestAccessToUser',
    body: schemaOf(accessBody, 'input'),
    data: schemaOf(receiptData),
  }),
  'GET /profile/:did/receipts': () => ({
    name: 'receiptsOfUser',
    query: ['status', 'agent'],
    data: schemaOf(z.array(receiptData)),
  }),
  'POST /profile/:did/receipts/:id/revoke': ({ input }) => ({
    name: 'revokeReceiptOfUser',
    body: without(input, ['id']),
    data: schemaOf(receiptData),
  }),
  'POST /agents/register': () => ({
    name: 'registerAgentByDid',
    body: schemaOf(registerBody, 'input'),
    statuses: [200, 201],
    data: schemaOf(agentData),
  }),
  'GET /agents/:did': () => ({ name: 'agentByDid', data: schemaOf(agentData) }),
  'POST /agents/:did/revoke': () => ({
    name: 'revokeAgentByDid',
    data: schemaOf(
      z.object({
        id: text.describe('DID of the agent'),
        status: z.literal('revoked').describe('State of the agent'),
        revokedAt: timeText('Time of the revocation').optional(),
      }),
    ),
  }),
}

/** Returns the text of a route of the protocol. Throws for a route without one. */
export function a2pTextOf(method: string, path: string, entry: ManifestEntry): A2pText {
  const textOf = textsByRoute[`${method} ${path}`]
  if (!textOf) throw new Error(`The OpenAPI document has no text for ${method} ${path}.`)
  return textOf(entry)
}
