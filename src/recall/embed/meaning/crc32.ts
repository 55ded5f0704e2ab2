// CRC-32 (IEEE 802.3, as in zlib), which finds damage of a file. Four bytes a step, by four tables ("slicing by 4",
// Kounavis and Berry 2005).

const polynomial = 0xedb88320
let tables: Int32Array | undefined

/** Four tables of 256 numbers: of a byte that is followed by 0, 1, 2 or 3 bytes of the same step. */
function makeTables(): Int32Array {
  const made = new Int32Array(4 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let rest = byte
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1
    made[byte] = rest
  }
  for (let i = 256; i < made.length; i++) {
    const before = made[i - 256] as number
    made[i] = (before >>> 8) ^ (made[before & 0xff] as number)
  }
  return made
}

/** The checksum of bytes, 0 to 2^32 − 1. */
export function crc32(bytes: Uint8Array): number {
  const rests = (tables ??= makeTables())
  const { length } = bytes
  let sum = -1
  let i = 0
  for (; i + 4 <= length; i += 4) {
    sum ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24)
    sum =
      (rests[768 + (sum & 0xff)] as number) ^
      (rests[512 + ((sum >>> 8) & 0xff)] as number) ^
      (rests[256 + ((sum >>> 16) & 0xff)] as number) ^
      (rests[sum >>> 24] as number)
  }
  for (; i < length; i++) sum = (sum >>> 8) ^ (rests[(sum ^ (bytes[i] as number)) & 0xff] as number)
  return ~sum >>> 0
}
