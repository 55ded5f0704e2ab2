// Base58Check, the form of wallet keys: a number in base 58. Its last four bytes are a checksum (double SHA-256).
// Invariant: SHA-256 is here for checksums only, because the hash of the ports is asynchronous and a scan of a text
// can't wait.

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** True if the last four bytes are the checksum of the other bytes. Leading zero bytes are not supported. */
export function hasBase58Checksum(text: string): boolean {
  const bytes = decode(text)
  if (bytes === undefined || bytes.length < 5) return false
  const sum = sha256(sha256(bytes.subarray(0, -4)))
  return bytes.subarray(-4).every((byte, at) => byte === sum[at])
}

/** Maximum of Base58 digits that a number represents exactly. */
const chunk = 9

function decode(text: string): Uint8Array | undefined {
  let number = 0n
  for (let from = 0; from < text.length; from += chunk) {
    const end = Math.min(from + chunk, text.length)
    let part = 0
    for (let at = from; at < end; at += 1) {
      const digit = alphabet.indexOf(text.charAt(at))
      if (digit < 0) return undefined
      part = part * 58 + digit
    }
    number = number * 58n ** BigInt(end - from) + BigInt(part)
  }
  // A Base58 digit has fewer than six bits.
  const bytes = new Uint8Array(Math.ceil((text.length * 6) / 64) * 8)
  const view = new DataView(bytes.buffer)
  for (let at = bytes.length - 8; at >= 0; at -= 8) {
    view.setBigUint64(at, BigInt.asUintN(64, number))
    number >>= 64n
  }
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0))
}

/** The first 64 primes. The constants of SHA-256 are bits of their roots (FIPS 180-4, sections 4.2.2 and 5.3.3). */
const primes = Array.from({ length: 312 }, (_, n) => n).filter((n) => {
  for (let by = 2; by * by <= n; by += 1) if (n % by === 0) return false
  return n > 1
})
const fraction = (root: number) => ((root - Math.floor(root)) * 0x1_0000_0000) | 0
const rounds = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const start = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

/** SHA-256 (FIPS 180-4). */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 4, bytes.length * 8)
  const state = Int32Array.from(start)
  const words = new Int32Array(64)
  for (let from = 0; from < padded.length; from += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = view.getInt32(from + at * 4)
    addBlock(state, words)
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, at) => {
    digest.setInt32(at * 4, word)
  })
  return new Uint8Array(digest.buffer)
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

/** Adds one block to `state`. The block is the first 16 of `words`. */
function addBlock(state: Int32Array, words: Int32Array): void {
  const word = (at: number) => words[at] ?? 0
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [word(at - 15), word(at - 2)]
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[at] = word(at - 16) + first + word(at - 7) + second
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let at = 0; at < 64; at += 1) {
    const chosen = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g))
    const next = (h + chosen + (rounds[at] ?? 0) + word(at)) | 0
    const most = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + next) | 0
    d = c
    c = b
    b = a
    a = (next + most) | 0
  }
  const sums = [a, b, c, d, e, f, g, h]
  for (let at = 0; at < 8; at += 1) state[at] = (state[at] ?? 0) + (sums[at] ?? 0)
}

/** Length of a wallet key in Base58 digits. */
export const leastWalletLength = 51
const mostWalletLength = 52
const form = /^(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})$/

type Place = readonly [start: number, end: number]
const none: readonly Place[] = []

/**
 * Finds private keys of wallets (WIF): 51 or 52 Base58 digits with a checksum. Returns half-open ranges, in order.
 * The time is linear in the length of the text.
 */
export function walletKeysIn(text: string): readonly Place[] {
  if (text.length < leastWalletLength) return none
  let found: Place[] | undefined
  let from = 0
  while (from + leastWalletLength <= text.length) {
    // Scans backwards: a run that is too short lets the search skip to its end.
    let at = from + leastWalletLength - 1
    while (at >= from && isWord(text.charCodeAt(at))) at -= 1
    if (at >= from) {
      from = at + 1
      continue
    }
    let end = from + leastWalletLength
    while (isWord(text.charCodeAt(end))) end += 1
    const key = end - from > mostWalletLength ? '' : text.slice(from, end)
    if (form.test(key) && hasBase58Checksum(key)) {
      found ??= []
      found.push([from, end])
    }
    from = end + 1
  }
  return found ?? none
}

/** True for an ASCII letter or digit. */
const isWord = (code: number) =>
  // Bit 32 turns an upper-case letter into its lower case.
  ((code | 32) >= 97 && (code | 32) <= 122) || (code >= 48 && code <= 57)
