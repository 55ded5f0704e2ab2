// Parts of texts that are judged to hold a secret or not. No secret in them is anybody's.
export interface Judged {
  /** Texts, or bodies of records. */
  readonly secret: readonly (string | object)[]
  readonly plain: readonly (string | object)[]
}

export const hex = (length: number, seed = 7) => {
  let state = seed
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(state / 65_536) % 16
  })
    .map((digit) => digit.toString(16))
    .join('')
}
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
export const mixed = (length: number, seed = 11) =>
  Array.from({ length }, (_, at) =>
    letters.charAt((at * at * 7 + at * seed + seed * 31) % letters.length),
  ).join('')
export const base64 = (text: string) => Buffer.from(text).toString('base64')
export const iban = (country: string, bban: string) => {
  const digits = (text: string) => [...text].map((char) => Number.parseInt(char, 36).toString()).join('')
  const check = 98n - (BigInt(digits(`${bban}${country}00`)) % 97n)
  return `${country}${String(check).padStart(2, '0')}${bban}`
}
export const spaced = (text: string) => text.replaceAll(/(.{4})(?=.)/g, '$1 ')
export const dotted = (text: string) => text.replaceAll(/(.{4})(?=.)/g, '$1.')
/** With another character at the end. */
export const flipped = (text: string) => `${text.slice(0, -1)}${text.endsWith('z') ? 'y' : 'z'}`
export const discord = (id: string, seed: number) =>
  `${base64(id).replaceAll('=', '')}.${mixed(6, seed)}.${mixed(38, seed + 2)}`
export const seed12 = 'gravity machine north sort system female filter attitude volume fold club stay'
export const seed24 =
  'void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold'
export const seed15 =
  'scissors invite lock maple supreme raw rapid void congress muscle digital elegant little brisk hair'
export const seed18 =
  'all hour make first leader extend hole alien behind guard gospel lava path output census museum junior mass'
export const awsSecret = (seed: number) => `${mixed(18, seed)}/${mixed(12, seed + 1)}+${mixed(8, seed + 3)}`
export const awsId = 'AKIA4QWERTZUIOPASD2F'
