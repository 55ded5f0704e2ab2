// Encodes values of a checkpoint as texts, and decodes them. A long text is stored as parts that are named by their
// hash. So each long message of a growing list is stored once.
// Invariant: the framework's serializer gets back exactly the bytes it produced.
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64 } from '@scure/base'
import { adapterError } from '../adapter-error.ts'

/** Maximum characters of a text inside a node. Longer texts become parts. */
const inlineLimit = 200
const partLength = 400_000

/** A stored value: its text, the hashes of the parts of its text, or its elements. `bytes`: the text is base64. */
export type Node =
  | { readonly type: string; readonly bytes?: true; readonly text: string }
  | { readonly type: string; readonly bytes?: true; readonly parts: readonly string[] }
  | { readonly list: readonly Node[] }

/** Node of a value that can't be serialized, such as a function: `null` in a list; elsewhere the value is dropped. */
export const nothing: Node = { type: 'json', text: 'null' }

/** Parts by their hash. */
export type Parts = Map<string, string>

export async function toNode(serde: SerializerProtocol, value: unknown, parts: Parts): Promise<Node> {
  if (isListOfObjects(value)) {
    return { list: await Promise.all(value.map((element) => leaf(serde, element, parts))) }
  }
  return leaf(serde, value, parts)
}

/** True for a list of at least two objects: their elements are serialized one by one. */
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
  // The framework's serializer returns no bytes for a value that JSON lacks.
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

/** Returns the end of the part that begins at `start`, never within a surrogate pair. */
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

/**
 * Returns UTF-8 bytes as text, because text compresses and is checked like other texts. Other bytes become base64.
 */
function textOf(bytes: Uint8Array): { text: string; isBytes: boolean } {
  try {
    return { text: utf8.decode(bytes), isBytes: false }
  } catch {
    return { text: base64.encode(bytes), isBytes: true }
  }
}

/** Encodes one value, for pending writes and for metadata. Adds a text longer than `inline` characters to `parts`. */
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

/** Returns the hashes of all parts of a node. */
export function hashesOf(node: Node): readonly string[] {
  if ('list' in node) return node.list.flatMap(hashesOf)
  return 'parts' in node ? node.parts : []
}
