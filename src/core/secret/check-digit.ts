// Check digits and checksums distinguish real keys and card numbers from similar texts.

/** CRC-32 (ISO 3309, reflected, polynomial 0xEDB88320) of an ASCII text, as an unsigned number. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at) & 0xff
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * True if the last six characters are the base-62 CRC-32 of the `bodyLength` characters before them: the form of
 * GitHub and npm.
 */
export function endsInCrc32(text: string, bodyLength: number): boolean {
  const body = text.slice(-6 - bodyLength, -6)
  let rest = crc32(body)
  let sum = ''
  for (let place = 0; place < 6; place += 1) {
    sum = (base62[rest % 62] ?? '') + sum
    rest = Math.floor(rest / 62)
  }
  return body.length === bodyLength && text.endsWith(sum)
}

/** True if the last digit is the check digit of the others (Luhn formula, ISO/IEC 7812-1). */
export function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48
    const doubled = digit * 2
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Length of an international bank account number (IBAN), by country (ISO 13616, SWIFT registry). */
const accounts: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22
  GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22
  MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26
  UA29 VA22 VG24 XK20`
    .split(/\s+/)
    .map((one) => [one.slice(0, 2), Number(one.slice(2))]),
)

/** Length of an IBAN of this country; undefined for other countries. */
export const accountLength = (country: string): number | undefined => accounts[country]

/** True for an IBAN without spaces: its remainder modulo 97 is 1 (ISO 7064). */
export function isAccountNumber(text: string): boolean {
  if (accounts[text.slice(0, 2)] !== text.length) return false
  let rest = 0
  for (const char of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** Lengths of card numbers by prefix, for the issuer ranges in use (ISO/IEC 7812). */
const issuers: ReadonlyArray<readonly [beginning: RegExp, lengths: readonly number[]]> = [
  [/^4/, [13, 16]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|65|64[4-9])/, [16]],
  [/^(?:30[0-5]|36|38|39)/, [14]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^62/, [16, 17, 18, 19]],
]

/** True for the digits of a payment card: known issuer, matching length, valid check digit. */
export function isCardNumber(digits: string): boolean {
  const isIssued = issuers.some(([beginning, lengths]) => {
    return lengths.includes(digits.length) && beginning.test(digits)
  })
  return isIssued && hasCheckDigit(digits) && !/^(\d)\1+$/.test(digits)
}
