// Encodes values of a checkpoint as texts, and decodes them. Long values are parts named by their content, so a list of messages that
// grows with each step is stored once.
// Invariant: the framework's serializer gets back exactly the bytes it produced.
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64 } from '@scure/base'
import { adapterError } from '../adapter-error.ts'

/** Longer texts become parts. */
const inlineLimit = 200
const partLength = 400_000

/** A stored value: its text, the hashes of its text's parts, or its elements. */
export type Node =
  | { readonly type: string; readonly bytes?: true; readonly text: string }
  | { readonly type: string; readonly bytes?: true; readonly parts: readonly string[] }
  | { readonly list: readonly Node[] }

/** A value that JSON lacks, such as a function: `null` in a list, dropped elsewhere. */
export const nothing: Node = { type: 'json', text: 'null' }

/** Parts by their hash. */
export type Parts = Map<string, string>

export async function toNode(serde: SerializerProtocol, value: unknown, parts: Parts): Promise<Node> {
  if (isListOfObjects(value)) {
    return { list: await Promise.all(value.map((element) => leaf(serde, element, parts))) }
  }
  return leaf(serde, value, parts)
}

/** True for a list whose elements can be serialized one by one. */
function isListOfObjects(value: unknown): value is readonly object[] {
  if (!Array.isArray(value) || value.length < 2) return false
  return value.every((one) => typeof one === 'object' && one !== null && !ArrayBuffer.isView(one))
}

async function leaf(
  serde: SerializerProtocol,
  value: unknown,
  parts: Parts,
  inline: number = inlineLimit,
): Promise<Node> {
  const [type, bytes] = await serde.dumpsTyped(value)
  // The framework's serializer can't handle such a value.
  if (type === 'json' && bytes.length === 0) return nothing
  const { text, isBytes } = textOf(bytes)
  const head = { type, ...(isBytes ? { bytes: true as const } : {}) }
  if (text.length <= inline) return { ...head, text }
  const hashes: string[] = []
  for (let at = 0; at < text.length;) {
    const end = partEnd(text, at)
    const part = text.slice(at, end)
    const hash = hashOf(part)
    parts.set(hash, part)
    hashes.push(hash)
    at = end
  }
  return { ...head, parts: hashes }
}

/** Splits between characters. */
function partEnd(text: string, start: number): number {
  const end = Math.min(text.length, start + partLength)
  const isWithin = end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? '')
  return isWithin ? end - 1 : end
}

function hashOf(part: string): string {
  return Array.from(sha256(new TextEncoder().encode(part)).slice(0, 16), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 bytes as text, so that they compress and are checked like other texts; other bytes in base64. */
function textOf(bytes: Uint8Array): { text: string; isBytes: boolean } {
  try {
    return { text: utf8.decode(bytes), isBytes: false }
  } catch {
    return { text: base64.encode(bytes), isBytes: true }
  }
}

/**
 * Encodes a single value, for writes between checkpoints and for metadata. Text longer than `inline` goes into `parts`.
 */
export async function toText(
  serde: SerializerProtocol,
  value: unknown,
  parts: Parts,
  inline: number,
): Promise<{ readonly text: string; readonly hashes: readonly string[]; readonly isNothing: boolean }> {
  const node = await leaf(serde, value, parts, inline)
  return { text: JSON.stringify(node), hashes: hashesOf(node), isNothing: node === nothing }
}

export async function fromText(
  serde: SerializerProtocol,
  text: string,
  parts: ReadonlyMap<string, string>,
): Promise<unknown> {
  return fromNode(serde, JSON.parse(text) as Node, parts)
}

export async function fromNode(
  serde: SerializerProtocol,
  node: Node,
  parts: ReadonlyMap<string, string>,
): Promise<unknown> {
  if ('list' in node) return Promise.all(node.list.map((one) => fromNode(serde, one, parts)))
  const text = 'text' in node ? node.text : node.parts.map((hash) => partOf(parts, hash)).join('')
  const bytes = node.bytes ? base64.decode(text) : new TextEncoder().encode(text)
  return serde.loadsTyped(node.type, bytes) as Promise<unknown>
}

function partOf(parts: ReadonlyMap<string, string>, hash: string): string {
  const part = parts.get(hash)
  if (part !== undefined) return part
  throw adapterError(
    'not-found',
    `A part of the checkpoint is not here (${hash}): sync the book and try again.`,
  )
}

/** The hashes in a node. */
export function hashesOf(node: Node): readonly string[] {
  if ('list' in node) return node.list.flatMap(hashesOf)
  return 'parts' in node ? node.parts : []
}
