// Decides whether a text in the place of a password is a password.
// Invariant: a description (required, string), a reference (`${PASSWORD}`, `config.password`) or a placeholder
// (`changeme`, `****`) is not a password.

/** Placeholders for a password. */
const placeholder =
  /^(?:\*+|x+|\.+|-+|_+|#+|•+|<.*|\$.*|%.*|@@.*|.*[{}[\]].*|(?:my|your|the|new|old|some|enter|insert)?[-_ ]?(?:\w{1,12}[-_ ])?(?:password|passwd|passwort|passphrase|pass|pwd|secret|token|key|credentials?)(?:[-_ ]?here)?|change[-_]?(?:me|it|this)|user|name|port|\d{1,4})$/i

/** Words that describe a password or its type. */
const ordinary = new Set(
  `required optional mandatory missing empty blank none null nil undefined true false yes no string str text hidden secret
  redacted removed masked encrypted hashed plain plaintext invalid valid incorrect wrong expired changed reset forgotten
  unknown unset default example sample dummy placeholder number integer boolean bool object bytes buffer varchar char any input
  field value label type strong weak short long same different protected disabled enabled prompt please enter must should never
  always settings here there below above this that optionstring username user admin email login root guest anonymous public test
  vault keychain environment config file stdin`.split(/\s+/),
)

const isOrdinary = (text: string) => ordinary.has(text.toLowerCase().replaceAll(/[^a-z]/g, ''))

/** Calls, members, templates and YAML tags that refer to a password. */
const reference =
  /[(){}[\]`]|^[!|>~]?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|::|->|=>|^[=!|>~&][=A-Za-z ]*$|^\/[\w./-]+$|^https?:/

export const isPlaceholder = (text: string): boolean => placeholder.test(text)

/** True if letters are mixed with digits or signs, as in no word of a language. */
function isMixed(text: string): boolean {
  if (!/\p{L}/u.test(text)) return false
  // The last sign may end a sentence.
  return /\d/.test(text) || /[^\p{L}\d\s'._\-/:]/u.test(text.slice(0, -1))
}

/** A possible password as written. */
export interface Written {
  readonly text: string
  readonly isQuoted: boolean
  /** True if `:` or `=` follows the full word for a password, and only punctuation follows the text. */
  readonly isSure: boolean
}

export function isPassword({ text, isQuoted, isSure }: Written): boolean {
  if (text.length < 4 || isPlaceholder(text) || isOrdinary(text)) return false
  if (reference.test(text) && !(isQuoted && isMixed(text) && !text.includes('{') && !/\s/.test(text)))
    return false
  if (/\s/.test(text)) return false
  if (isMixed(text)) return true
  return isSure && text.length >= 5
}

/** Marks a sentence, which is no passphrase: it has small words, or states password rules. */
const sentence = /\b(?:the|is|are|must|should|please|your|enter|at least|a|an|of|to|not)\b|[.?!:]$/i

/** True for 3 to 12 words that may form one secret. */
export function isPassphrase(text: string): boolean {
  const words = text.split(' ')
  return words.length >= 3 && words.length <= 12 && !sentence.test(text) && !reference.test(text)
}

/** True for random letters and digits, as a generator creates them. */
export function isGenerated(text: string, leastDigits = 3): boolean {
  if (isPlaceholder(text) || /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/i.test(text)) return false
  const digits = text.replaceAll(/\D/g, '').length
  const letters = text.replaceAll(/[^A-Za-z]/g, '').length
  return (
    digits >= leastDigits &&
    letters >= 4 &&
    new Set(text).size > 8 &&
    !/EXAMPLE(?:KEY)?$|[.]{3}|x{5}/.test(text)
  )
}
