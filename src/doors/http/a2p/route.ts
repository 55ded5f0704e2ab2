// What a route of the a2p protocol is: an address, the capability that it stands for, and how what is sent and answered is
// said in the protocol's words. Invariant: a route has no right of its own; it names one capability, called as whoever came.
import type { z } from 'zod'
import { DaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject, type Json } from '../../../core/json/path.ts'
import { parseWith } from '../../../core/schema.ts'
import type { Operation } from '../../../edge/agent/agent-rate.ts'

/** A request that was read, as far as it says what is wanted. */
export interface Asked {
  /** The user's DID, of the book that is asked. */
  readonly userDid: string
  /** Who signed the request; undefined for whoever came by a key. */
  readonly signer: string | undefined
  param(name: string): string
  query(name: string): string | undefined
  /** The body as it was sent, JSON. */
  readonly body: unknown
}

export interface Told {
  readonly data: unknown
  readonly status?: 200 | 201
  /** Beside the id of the request and the time. */
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface A2pRoute {
  readonly method: 'GET' | 'POST'
  /** Below `/a2p/v1`. One with `/profile/:did` is about the book of that DID. */
  readonly path: string
  readonly operation: Operation
  readonly capability: string
  /** What the capability takes. What it throws is told and written down as the answer of the call. */
  input(asked: Asked): unknown
  /** What the protocol answers, made of what the capability does. */
  answer(value: Given, asked: Asked): Told
  /** An error of the capability as the protocol says it. */
  refusal?(error: DaybookError): DaybookError
}

export type Given = Readonly<Record<string, unknown>>

export const wrongField = (path: string, message: string) =>
  new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })

/** The body as an object; an empty one has no fields. */
export function bodyOf({ body }: Asked): Given {
  if (body === undefined) return {}
  checkJson(body)
  if (isJsonObject(body as Json)) return body as Given
  throw wrongField('body', 'It is not an object')
}

/** The body by a schema. */
export function readBody<S extends z.ZodType>(schema: S, asked: Asked): z.output<S> {
  return parseWith(schema, bodyOf(asked)) as z.output<S>
}

/** A whole number in the query, from 0. */
export function countOf(
  asked: Asked,
  name: string,
  { usual, most }: { usual: number; most: number },
): number {
  const text = asked.query(name)
  if (text === undefined) return usual
  const count = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (count >= 0 && count <= most) return count
  throw wrongField(name, `It is not a number from 0 to ${most}`)
}

/** The fields of `value` that there are. */
export function present(value: Given): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))
}

/** `value` with its field `from` under the name `to`, unless that is there. */
export function under(value: Given, from: string, to: string): Given {
  const { [from]: named, ...rest } = value
  return named === undefined ? value : { [to]: named, ...rest }
}
