// Items of a session as JSON and back. Invariant: what comes out is what went in, and shares nothing with it.
import type { AgentInputItem } from '@openai/agents-core'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { adapterError } from '../adapter-error.ts'
import { valueFromJson, valueToJson } from '../foreign-value.ts'

export function toJson(item: AgentInputItem, path: string): JsonObject {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw adapterError('invalid-input', 'An item of a session is an object.', { path })
  }
  try {
    return valueToJson(item) as JsonObject
  } catch (error) {
    const message = `Session history items contain invalid or unsupported data: ${(error as Error).message}`
    throw adapterError('invalid-input', message, { path })
  }
}

/** The item that a document holds; undefined where something else put something else there. */
export function fromJson(json: Json | undefined): AgentInputItem | undefined {
  const item = json === undefined ? undefined : valueFromJson(json)
  return isJsonObject(item as Json) ? (item as AgentInputItem) : undefined
}
