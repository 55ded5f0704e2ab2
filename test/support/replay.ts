// What somebody can make of a stored token who reads it where it lies: every text that might be taken for its bearer text.

/** `text` as base64url of its UTF-8 bytes. */
function toText64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

async function hexOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Made of the row alone, and of secrets that the thief has from elsewhere: its own, or those of other tokens. */
export async function replaysOf(row: object, secrets: readonly string[] = []): Promise<string[]> {
  const canonical = (token: object) => toText64(JSON.stringify(token, Object.keys(token).toSorted()))
  const { signature = '', secret_hash: hash = '' } = row as { signature?: string; secret_hash?: string }
  const whole = canonical(row)
  const own = 'A'.repeat(43)
  const { secret_hash: _hash, ...without } = row as { secret_hash?: string }
  const resealed = canonical({ ...row, secret_hash: await hexOf(own) })
  const tails = ['', hash, hash.slice(0, 43), signature, toText64(hash), await hexOf(hash), own, ...secrets]
  return [
    `dbt1.${whole}`,
    `dbt1.${canonical(without)}`,
    `dbt2.${whole}`,
    `dbt2.${resealed}.${own}`,
    ...tails.flatMap((tail) => [whole, canonical(without)].map((text) => `dbt2.${text}.${tail}`)),
    `dbt1.${whole}.${own}`,
    `Bearer dbt2.${whole}`,
    whole,
    signature,
    hash,
  ].filter((one) => one !== '')
}
