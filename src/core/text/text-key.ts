// Hashes of texts, for names and indexes. They prevent accidental collisions, not attacks: compare the texts after a
// hash matched.
// Invariant: the hash of a text never changes, because books store ids and keys that contain it.

const basis = 0x811c9dc5
const prime = 0x01000193
const pastUnits = 0xffff

/** 32-bit FNV-1a over the UTF-16 units of `text`. */
export function shortKey(text: string): number {
  let hash = basis
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime)
  return hash >>> 0
}

/** A 52-bit FNV-1a key of a list of texts, which includes the ends of the texts. */
export function textKey(texts: readonly string[]): number {
  return wideKey(texts, 0, true)
}

/** A 52-bit FNV-1a key of one text. Each `round` gives a different key. */
export function roundKey(text: string, round: number): number {
  return wideKey([text], round, false)
}

function wideKey(texts: readonly string[], round: number, isEnded: boolean): number {
  let high = basis ^ round
  let low = prime + round
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      high = Math.imul(high ^ unit, prime)
      low = Math.imul(low ^ (unit + i), prime)
    }
    if (isEnded) high = Math.imul(high ^ pastUnits, prime)
  }
  return (high >>> 12) * 0x1_0000_0000 + (low >>> 0)
}

const keys = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const
const turns = [15, 16, 17, 18] as const
const swaps = [19, 17, 15, 13] as const
const sums = [0x561ccd1b, 0x0bcaa747, 0x96cd1c35, 0x32ac3b17] as const

const turn = (value: number, by: number) => (value << by) | (value >>> (32 - by))

const mix = (value: number) => {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Returns 32 hexadecimal digits for a name of several parts: MurmurHash3 of the UTF-16 units of their JSON list. */
export function nameHash(...parts: readonly string[]): string {
  const text = JSON.stringify(parts)
  const bytes = new Uint8Array(text.length * 2)
  for (let i = 0; i < text.length; i++) {
    bytes[2 * i] = text.charCodeAt(i) & 0xff
    bytes[2 * i + 1] = text.charCodeAt(i) >>> 8
  }
  return murmur128(bytes)
}

/** MurmurHash3_x86_128 (Austin Appleby, public domain) of `bytes`, as 32 hexadecimal digits. */
export function murmur128(bytes: Uint8Array, seed = 0): string {
  const h = new Int32Array(4).fill(seed)
  const mixed = (block: number, i: 0 | 1 | 2 | 3) =>
    Math.imul(turn(Math.imul(block, keys[i]), turns[i]), keys[((i + 1) & 3) as 0 | 1 | 2 | 3])
  const blockBytes = bytes.length & ~15
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < blockBytes; at += 16) {
    for (const i of [0, 1, 2, 3] as const) {
      const next = ((i + 1) & 3) as 0 | 1 | 2 | 3
      const one = turn((h[i] ?? 0) ^ mixed(view.getInt32(at + 4 * i, true), i), swaps[i])
      h[i] = Math.imul((one + (h[next] ?? 0)) | 0, 5) + sums[i]
    }
  }
  for (const i of [3, 2, 1, 0] as const) {
    let block = 0
    for (let at = Math.min(bytes.length, blockBytes + 4 * i + 4) - 1; at >= blockBytes + 4 * i; at--)
      block = (block << 8) | (bytes[at] ?? 0)
    h[i] = (h[i] ?? 0) ^ mixed(block, i)
  }
  const spread = () => {
    h[0] = (h[0] ?? 0) + (h[1] ?? 0) + (h[2] ?? 0) + (h[3] ?? 0)
    for (const i of [1, 2, 3] as const) h[i] = (h[i] ?? 0) + (h[0] ?? 0)
  }
  for (const i of [0, 1, 2, 3] as const) h[i] = (h[i] ?? 0) ^ bytes.length
  spread()
  for (const i of [0, 1, 2, 3] as const) h[i] = mix(h[i] ?? 0)
  spread()
  return Array.from(h, (part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
}
