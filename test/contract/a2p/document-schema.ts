// The documents of the a2p protocol, as far as its schemas ask for anything.
import { Validator } from '@cfworker/json-schema'
import { expect } from 'vitest'

const text = { type: 'string' } as const
const category = { type: 'string', pattern: '^(a2p|ext):[a-zA-Z0-9_]+(\\.[a-zA-Z0-9_]+)*$' } as const
const share = { type: 'number', minimum: 0, maximum: 1 } as const
const did = { type: 'string', pattern: '^did:[a-z0-9]+:[a-zA-Z0-9._:-]+$' } as const
const time = { type: 'string', format: 'date-time' } as const
const texts = { type: 'array', items: text } as const
const sensitivity = { enum: ['public', 'standard', 'sensitive', 'restricted'] } as const

export const memorySchema = {
  type: 'object',
  required: ['id', 'content', 'source', 'status'],
  properties: {
    id: text,
    content: { type: 'string', maxLength: 2000 },
    category,
    source: {
      type: 'object',
      required: ['type', 'timestamp'],
      properties: {
        type: { enum: ['user_manual', 'user_import', 'agent_proposal', 'agent_direct', 'system_derived'] },
        agentDid: did,
        timestamp: time,
      },
    },
    confidence: share,
    status: { enum: ['pending', 'approved', 'rejected', 'archived', 'expired'] },
    sensitivity,
    scope: texts,
    tags: texts,
  },
}
export const profileSchema = {
  type: 'object',
  required: ['id', 'version', 'profileType', 'identity'],
  properties: {
    id: did,
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
    profileType: { enum: ['human', 'agent', 'entity'] },
    identity: { type: 'object', required: ['did'], properties: { did } },
    memories: {
      type: 'object',
      properties: Object.fromEntries(
        ['a2p:episodic', 'a2p:semantic', 'a2p:procedural'].map((name) => [
          name,
          { type: 'array', items: memorySchema },
        ]),
      ),
    },
  },
}
export const proposalSchema = {
  type: 'object',
  required: ['id', 'proposedBy', 'proposedAt', 'memory', 'status'],
  properties: {
    id: text,
    proposedBy: { type: 'object', required: ['agentDid'], properties: { agentDid: did } },
    proposedAt: time,
    memory: {
      type: 'object',
      required: ['content'],
      properties: { category, confidence: share, suggestedSensitivity: sensitivity },
    },
    status: { enum: ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] },
    expiresAt: time,
  },
}
export const receiptSchema = {
  type: 'object',
  required: ['receiptId', 'userDid', 'agentDid', 'grantedScopes', 'permissions', 'grantedAt'],
  properties: {
    receiptId: { type: 'string', pattern: '^rcpt_[A-Za-z0-9]+$' },
    userDid: did,
    agentDid: did,
    grantedScopes: { ...texts, minItems: 1 },
    deniedScopes: texts,
    permissions: {
      type: 'array',
      items: { enum: ['none', 'read_public', 'read_scoped', 'read_full', 'propose', 'write'] },
    },
    grantedAt: time,
    expiresAt: time,
  },
}

export function expectValid(schema: object, value: unknown): void {
  const { errors } = new Validator(schema, '2020-12', false).validate(value)
  expect(errors).toEqual([])
}
