// Encodes values of a checkpoint as texts, and decodes them. A long text is stored as parts that are named by their
// hash. So each long message of a growing list is stored once.
// Invariant: the framework's serializer gets back exactly the bytes it produced. A part with another hash than its
// name is refused.
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64 } from '@scure/base'
import { utf8Length } from '../../../core/text/utf8.ts'
import { adapterError } from '../adapter-error.ts'

/** Maximum characters of a text inside a node. Longer texts become parts. */
const maxInlineLength = 200
/** Maximum bytes of a part in UTF-8, so that each part fits into one op of a sync. */
const partBytes = 400_000
/** Maximum bytes of a part of a list of nodes: each step of a run writes the last part again. */
const listPartBytes = 50_000
/** Lists of nodes with more characters are stored as parts when a state is long. */
const listCharacters = 10_000

/**
 * A stored value: its text, the hashes of the parts of its text, its elements, or the hashes of the parts of the JSON
 * of its elements (`nodes`). `type`: the serializer's name of the format. `bytes`: the text is base64.
 */
export type EncodedValue =
  | { readonly type: string; readonly bytes?: true; readonly text: string }
  | { readonly type: string; readonly bytes?: true; readonly parts: readonly string[] }
  | { readonly list: readonly EncodedValue[] }
  | { readonly nodes: readonly string[] }

/** Node of a value that can't be serialized, such as a function: `null` in a list; elsewhere the value is dropped. */
export const unserializable: EncodedValue = { type: 'json', text: 'null' }

/** Parts by their hash. */
export type PartsByHash = Map<string, string>

/** Encodes a value; a list of objects element by element, so that unchanged elements are stored once. */
export async function encodeValue(
  serde: SerializerProtocol,
  value: unknown,
  parts: PartsByHash,
): Promise<EncodedValue> {
  if (isListOfObjects(value)) {
    return { list: await Promise.all(value.map((element) => encodeWhole(serde, element, parts))) }
  }
  return encodeWhole(serde, value, parts)
}

/** True for a list of at least two objects: their elements are serialized one by one. */
function isListOfObjects(value: unknown): value is readonly object[] {
  if (!Array.isArray(value) || value.length < 2) return false
  return value.every((one) => typeof one === 'object' && one !== null && !ArrayBuffer.isView(one))
}

async function encodeWhole(
  serde: SerializerProtocol,
  value: unknown,
  parts: PartsByHash,
  inline: number = maxInlineLength,
): Promise<EncodedValue> {
  const [type, bytes] = await serde.dumpsTyped(value)
  // The framework's serializer returns no bytes for a value that JSON lacks.
  if (type === 'json' && bytes.length === 0) return unserializable
  const { text, isBytes } = toTextOrBase64(bytes)
  const head = { type, ...(isBytes ? { bytes: true as const } : {}) }
  if (text.length <= inline) return { ...head, text }
  return { ...head, parts: split(text, partBytes, parts) }
}

/** Adds the parts of `text` to `parts`, and returns their hashes. A longer text begins with the same parts. */
function split(text: string, limitBytes: number, parts: PartsByHash): string[] {
  const hashes: string[] = []
  for (let at = 0; at < text.length;) {
    const end = endOfPart(text, at, limitBytes)
    const part = text.slice(at, end)
    const hash = hashOf(part)
    parts.set(hash, part)
    hashes.push(hash)
    at = end
  }
  return hashes
}

/** Returns the end of the part that begins at `start`, never within a surrogate pair. */
function endOfPart(text: string, start: number, limitBytes: number): number {
  let bytes = 0
  for (let at = start; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    bytes += utf8Length(character)
    if (bytes > limitBytes) return at
    at += character.length
  }
  return text.length
}

/**
 * Stores the elements of a long list as parts. Call `hashesOf(node)` before: the result doesn't name the parts of the
 * elements.
 */
export function folded(node: EncodedValue, parts: PartsByHash): EncodedValue {
  if (!('list' in node)) return node
  const text = JSON.stringify(node.list)
  return text.length > listCharacters ? { nodes: split(text, listPartBytes, parts) } : node
}

/** Returns the parts of an answer. Throws `invalid-file` for a part that is not what its name says. */
export function checkedParts(parts: Readonly<Record<string, string>>): [string, string][] {
  const entries = Object.entries(parts)
  const damaged = entries.find(([hash, text]) => hashOf(text) !== hash)
  if (!damaged) return entries
  throw adapterError(
    'invalid-file',
    `A part of the checkpoint is damaged: its content is not the one that was stored (${damaged[0]}). Continue from an earlier checkpoint of the thread, or restore the book from a backup.`,
    { part: damaged[0] },
  )
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
function toTextOrBase64(bytes: Uint8Array): { text: string; isBytes: boolean } {
  try {
    return { text: utf8.decode(bytes), isBytes: false }
  } catch {
    return { text: base64.encode(bytes), isBytes: true }
  }
}

/** Encodes one value, for pending writes and for metadata. Adds a text longer than `inline` characters to `parts`. */
export async function encodeToText(
  serde: SerializerProtocol,
  value: unknown,
  parts: PartsByHash,
  inline: number,
): Promise<{
  readonly text: string
  readonly hashes: readonly string[]
  readonly isUnserializable: boolean
}> {
  const node = await encodeWhole(serde, value, parts, inline)
  return { text: JSON.stringify(node), hashes: hashesOf(node), isUnserializable: node === unserializable }
}

export async function decodeFromText(
  serde: SerializerProtocol,
  text: string,
  parts: ReadonlyMap<string, string>,
): Promise<unknown> {
  return decodeValue(serde, JSON.parse(text) as EncodedValue, parts)
}

export async function decodeValue(
  serde: SerializerProtocol,
  node: EncodedValue,
  parts: ReadonlyMap<string, string>,
): Promise<unknown> {
  const joined = (hashes: readonly string[]) => hashes.map((hash) => requirePart(parts, hash)).join('')
  const list =
    'nodes' in node
      ? (JSON.parse(joined(node.nodes)) as EncodedValue[])
      : 'list' in node
        ? node.list
        : undefined
  if (list) return Promise.all(list.map((one) => decodeValue(serde, one, parts)))
  if (!('type' in node)) return undefined
  const text = 'text' in node ? node.text : joined(node.parts)
  const bytes = node.bytes ? base64.decode(text) : new TextEncoder().encode(text)
  return serde.loadsTyped(node.type, bytes) as Promise<unknown>
}

function requirePart(parts: ReadonlyMap<string, string>, hash: string): string {
  const part = parts.get(hash)
  if (part !== undefined) return part
  throw adapterError(
    'not-found',
    `A part of the checkpoint is not here (${hash}): sync the book and try again.`,
  )
}

/** Returns the hashes of all parts of a node. */
export function hashesOf(node: EncodedValue): readonly string[] {
  if ('list' in node) return node.list.flatMap(hashesOf)
  return 'nodes' in node ? node.nodes : 'parts' in node ? node.parts : []
}
