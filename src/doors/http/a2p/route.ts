// A route of the a2p protocol: an address, its capability, and the translation of input and answer.
// Invariant: a route has no rights of its own; it calls one capability as the caller.
import type { z } from 'zod'
import { DaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject, type Json } from '../../../core/json/path.ts'
import { parseWith } from '../../../core/schema.ts'
import type { Operation } from '../../../edge/agent/agent-gate.ts'

/** A request as the routes see it. */
export interface A2pRequest {
  /** The DID of the book's user. */
  readonly userDid: string
  /** The signer; undefined for a caller with a key. */
  readonly signer: string | undefined
  param(name: string): string
  query(name: string): string | undefined
  /** The body, as JSON. */
  readonly body: unknown
}

export interface A2pReply {
  readonly data: unknown
  readonly status?: 200 | 201
  /** In addition to the request id and the time. */
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface A2pRoute {
  readonly method: 'GET' | 'POST'
  /** Below `/a2p/v1`. `/profile/:did` is the book of that DID. */
  readonly path: string
  readonly operation: Operation
  readonly capability: string
  /** The input of the capability. An error it throws is answered and logged like an error of the call. */
  input(request: A2pRequest): unknown
  /** The protocol's answer, from that of the capability. */
  answer(value: A2pFields, request: A2pRequest): A2pReply
  /** The protocol's form of an error of the capability. */
  refusal?(error: DaybookError): DaybookError
}

export type A2pFields = Readonly<Record<string, unknown>>

export const wrongField = (path: string, message: string) =>
  new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })

/** The body as an object; an empty one has no fields. */
export function bodyOf({ body }: A2pRequest): A2pFields {
  if (body === undefined) return {}
  checkJson(body)
  if (isJsonObject(body as Json)) return body as A2pFields
  throw wrongField('body', 'It is not an object')
}

/** The body, checked by a schema. */
export function readBody<S extends z.ZodType>(schema: S, request: A2pRequest): z.output<S> {
  return parseWith(schema, bodyOf(request)) as z.output<S>
}

/** A whole number in the query, from 0. */
export function countOf(
  request: A2pRequest,
  name: string,
  { usual, most }: { usual: number; most: number },
): number {
  const text = request.query(name)
  if (text === undefined) return usual
  const count = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (count >= 0 && count <= most) return count
  throw wrongField(name, `It is not a number from 0 to ${most}`)
}

/** `value` with its field `from` renamed to `to`. */
export function under(value: A2pFields, from: string, to: string): A2pFields {
  const { [from]: named, ...rest } = value
  return named === undefined ? value : { [to]: named, ...rest }
}
