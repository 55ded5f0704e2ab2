// Items of a session as JSON and back. Invariant: what comes out shares nothing with what went in.
import type { AgentInputItem } from '@openai/agents-core'
import { base64 } from '@scure/base'
import type { JsonObject } from '../../../core/json/path.ts'
import { adapterError } from '../adapter-error.ts'

/** Stands for bytes, which JSON has no word for. */
const bytesField = '$bytes'

export function toJson(item: AgentInputItem, path: string): JsonObject {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw adapterError('invalid-input', 'An item of a session is an object.', { path })
  }
  try {
    return JSON.parse(JSON.stringify(item, bytesAsText)) as JsonObject
  } catch (error) {
    const message = `Session history items contain invalid or unsupported data: ${(error as Error).message}`
    throw adapterError('invalid-input', message, { path })
  }
}

function bytesAsText(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { [bytesField]: base64.encode(value) } : value
}

export function fromJson(json: object): AgentInputItem {
  return JSON.parse(JSON.stringify(json), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Object.keys(value).join() !== bytesField) return value
    const text = (value as Record<string, unknown>)[bytesField]
    return typeof text === 'string' ? base64.decode(text) : value
  }) as AgentInputItem
}
