// A route of the a2p protocol: an address, a capability, and functions that translate input and answer.
// Invariant: a route has no rights of its own; it calls one capability as the caller.
import type { z } from 'zod'
import { type DaybookError, invalidInput } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject, type Json } from '../../../core/json/path.ts'
import { parseWith } from '../../../core/schema.ts'
import type { Operation } from '../../../edge/agent/agent-gate.ts'

/** The part of an HTTP request that routes use. */
export interface A2pRequest {
  /** The DID of the addressed book's user. */
  readonly userDid: string
  /** The DID of the signer. Undefined: the caller sent a bearer key or token. */
  readonly signer: string | undefined
  param(name: string): string
  query(name: string): string | undefined
  /** The body, parsed from JSON. Undefined: the body is empty. Throws `invalid-input` for a malformed body. */
  readonly body: unknown
}

export interface A2pReply {
  readonly data: unknown
  readonly status?: 200 | 201
  /** Fields of `meta` besides the request id and the time. */
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface A2pRoute {
  readonly method: 'GET' | 'POST'
  /** The path below `/a2p/v1`. `:did` after `/profile/` names the book's user. */
  readonly path: string
  /** Selects a further limit of requests per hour, besides the caller's rate, such as that of `read`. `other`: none. */
  readonly operation: Operation
  readonly capability: string
  /**
   * Returns the input of the capability. A `DaybookError` that it throws is answered and logged like an error of the
   * call.
   */
  input(request: A2pRequest): unknown
  /** Converts the answer of the capability to the protocol's answer. */
  answer(value: A2pFields, request: A2pRequest): A2pReply
  /** Converts an error of the capability. Default: the error stays as it is. */
  convertError?(error: DaybookError): DaybookError
}

/** An object of a request or an answer. */
export type A2pFields = Readonly<Record<string, unknown>>

/** Returns the body as an object. An empty body becomes `{}`. Throws `invalid-input` for another value. */
export function bodyOf({ body }: A2pRequest): A2pFields {
  if (body === undefined) return {}
  checkJson(body)
  if (isJsonObject(body as Json)) return body as A2pFields
  throw invalidInput('body', 'It is not an object')
}

/** Parses the body with a schema. Throws `invalid-input`. */
export function parseBody<S extends z.ZodType>(schema: S, request: A2pRequest): z.output<S> {
  return parseWith(schema, bodyOf(request)) as z.output<S>
}

/** Returns a whole number from the query string, from 0 to `max`. Throws `invalid-input`. */
export function parseCount(
  request: A2pRequest,
  name: string,
  { defaultCount, max }: { readonly defaultCount: number; readonly max: number },
): number {
  const text = request.query(name)
  if (text === undefined) return defaultCount
  const count = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (count >= 0 && count <= max) return count
  throw invalidInput(name, `It is not a number from 0 to ${max}`)
}

/** Renames the field `from` of `value` to `to`. If both exist, `to` wins. */
export function renameField(value: A2pFields, from: string, to: string): A2pFields {
  const { [from]: fieldValue, ...rest } = value
  return fieldValue === undefined ? value : { [to]: fieldValue, ...rest }
}
