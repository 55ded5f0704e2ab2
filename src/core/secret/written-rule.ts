// Rules that detect a secret by the text around it: a name and a sign, an option of a command, a header.
// Invariant: a rule examines only a bounded part of the text before and after its prefix.
import { isGenerated, isPassphrase, isPassword } from './password-word.ts'
import { isSeedWords, seedAfter } from './seed-phrase.ts'

/** A half-open range of a text. */
export type TextRange = readonly [start: number, end: number]

export interface WrittenRule {
  readonly id: string
  /** Prefixes of the text around the secret. Many lack the first letter, so that they match it in either case. */
  readonly begins: readonly string[]
  /** Returns the range of the secret whose prefix is at `index`; undefined without one. */
  find(text: string, index: number): TextRange | undefined
}

const before = (text: string, index: number, reach: number) => text.slice(Math.max(0, index - reach), index)

/** Returns the shell command before `index`, without earlier commands; empty unless the text contains `name`. */
function commandBefore(text: string, index: number, name: RegExp): string {
  const lead = before(text, index, 160)
  if (!name.test(lead)) return ''
  // A backslash continues the line.
  return lead.split(/\s(?:\|\|?|&&)\s|;\s|(?<!\\)\n/).at(-1) ?? ''
}

/** Matches a sticky expression at `index`, and returns the range of its group `secret`. */
function group(
  form: RegExp,
  text: string,
  index: number,
): { span: TextRange; match: RegExpExecArray } | undefined {
  form.lastIndex = index
  const match = form.exec(text)
  const span = match?.indices?.groups?.['secret']
  return match && span ? { span, match } : undefined
}

const passwordForm = new RegExp(
  [
    /(?<name>[pP]ass(?:word|wd|wort|phrase|e)?|PASS(?:WORD|WD|WORT|PHRASE)?|[pP]wd|PWD|[pP]w|[kK]ennwort|[cC]ontraseña)\d?/,
    /(?: (?:for|of|zum|für) (?:the |your |my )?[\w-]{1,24})?/,
    /(?:\\?["'`\]]){0,3}\s{0,3}(?<sign>:=|=>|=|:|>|is(?= )|ist(?= )|lautet(?= ))\s{0,3}/,
    /(?:\\?(?<quote>["'`])(?<quoted>[^"'`\n\\]{4,128})\\?\k<quote>|(?<bare>[^\s"'`,;<>\\]{4,128}))/,
  ]
    .map(({ source }) => source)
    .join(''),
  'dy',
)
/** Text that may follow a password that is a plain word: the end of the line or of a list item. */
const rest = /[^\S\n]{0,3}(?:$|[\n,;&)}\]"'#|\\]|\.(?:\s|$))/y

function passwordAt(text: string, index: number): TextRange | undefined {
  // Excludes `compass` and `bypass`: in a longer name, `Password` has a capital or follows a sign.
  if (/[a-z]$/.test(before(text, index, 1)) && text.charAt(index) === 'p') return undefined
  const login = /\blogin\s+\S{1,64}\s+$/.test(before(text, index, 80)) ? loginAt(text, index) : undefined
  if (login) return login
  const option = /(?:^|\s)--$/.test(before(text, index, 3)) ? longOptionAt(text, index) : undefined
  if (option) return option
  passwordForm.lastIndex = index
  const match = passwordForm.exec(text)
  if (!match?.groups || !match.indices?.groups) return undefined
  const { name = '', sign = '', quoted, bare } = match.groups
  const place = match.indices.groups[quoted === undefined ? 'bare' : 'quoted']
  if (!place) return undefined
  if (/phrase$/i.test(name)) {
    const phrase =
      quoted ??
      text
        .slice(place[0], place[0] + 128)
        .split('\n')[0]
        ?.trimEnd() ??
      ''
    if (isPassphrase(phrase)) return [place[0], place[0] + phrase.length]
  }
  // The field of an XML tag ends at the next tag.
  const isTag = sign === '>'
  if (isTag && !/<[\w:.-]{0,40}$/.test(before(text, index, 42))) return undefined
  const password = quoted ?? ownPart(bare ?? '')
  const end = place[0] + password.length
  rest.lastIndex = end
  const isFull = name.length > 4 || /^p(?:wd|asse)$/i.test(name)
  if (isTag && !text.startsWith('</', end)) return undefined
  const isEnded = isTag || quoted !== undefined || rest.test(text)
  // If sure, a plain word counts as a password too.
  const isSure = isFull && /[=:>]/.test(sign) && isEnded
  return isPassword({ text: password, isQuoted: quoted !== undefined, isSure }) ? [place[0], end] : undefined
}

/** Removes the rest of a query, a bracket, or the end of a sentence. */
function ownPart(bare: string): string {
  const query = /&[\w-]{1,40}=/.exec(bare)
  const one = query ? bare.slice(0, query.index) : bare
  return one.includes('(') ? one : one.replace(/[.)?:]{1,8}$/, '')
}

const netrc = /pass(?:word|wd)\s+(?<secret>\S{3,128})/dy
function loginAt(text: string, index: number): TextRange | undefined {
  const found = group(netrc, text, index)
  return found && isPassword({ text: found.match.groups?.['secret'] ?? '', isQuoted: false, isSure: true })
    ? found.span
    : undefined
}

const userForm =
  /(?:-[A-Za-z]{0,4}u|--(?:proxy-)?user)[ =]{0,2}["']?[^\s:"'<>$]{1,64}:(?<secret>[^\s"'<>]{3,128})/dy
function userAt(text: string, index: number): TextRange | undefined {
  if (!/\b(?:curl|wget|https?)\b[^]*\s$/.test(commandBefore(text, index, /curl|wget|http/))) return undefined
  const found = group(userForm, text, index)
  return found && isPassword({ text: text.slice(...found.span), isQuoted: true, isSure: true })
    ? found.span
    : undefined
}

const optionForm = /-p[ =]?["']?(?<secret>[^\s"'<>$]{4,64})/dy
/** A registry login command before one of its options. */
const loginCommand =
  /\b(?:docker|podman|buildah|skopeo|nerdctl|helm|oras|crane)\b[^]{0,60}\blogin\s(?:[^]*\s)?$/
const loginBefore = (text: string, index: number) => {
  const lead = commandBefore(text, index, /\blogin\s/)
  return loginCommand.test(lead) ? lead : ''
}
/** The user option distinguishes a command from a sentence about a command. */
const namesUser = /\s(?:-u|--user(?:name)?)[ =]?["']?\S{1,64}\s/

function optionAt(text: string, index: number): TextRange | undefined {
  const lead = before(text, index, 120)
  const login = loginBefore(text, index)
  const isOption =
    login !== '' ||
    /\bsshpass\s+$/.test(lead) ||
    (/\bmysql\w{0,10}\s(?:[^\n]{0,100}\s)?$/.test(lead) && text.charAt(index + 2) !== ' ')
  const found = isOption ? group(optionForm, text, index) : undefined
  if (!found) return undefined
  const isSure = login === '' || namesUser.test(login)
  return isPassword({ text: text.slice(...found.span), isQuoted: true, isSure }) ? found.span : undefined
}

const longForm =
  /pass(?:word|wd|phrase)?[^\S\n]{1,3}["']?(?<secret>(?![-@~./]|(?:env|file|fd|pass|op|vault):|v?\d+(?:\.\d+)*\b)[^\s"'`<>$,;]{4,64})/dy

/** Finds the password after `--password` and a space. */
function longOptionAt(text: string, index: number): TextRange | undefined {
  const found = group(longForm, text, index)
  if (!found) return undefined
  const isSure = namesUser.test(loginBefore(text, index - 2))
  return isPassword({ text: ownPart(text.slice(...found.span)), isQuoted: false, isSure })
    ? found.span
    : undefined
}

const keyForm =
  /(?:pi[_ -]?(?:[kK]ey|KEY)|PI[_ -]?(?:KEY|Key)|ecret(?:[_ -]?(?:[aA]ccess[_ -]?)?[kK]ey)?|ECRET(?:[_ -]?(?:ACCESS[_ -]?)?KEY)?|oken|OKEN)(?:\\?["'`\]]){0,3}\s{0,3}(?::=|=>|=|:)\s{0,3}(?:\\?["'`])?(?<secret>[A-Za-z0-9_./+~-]{20,2000}={0,2})(?![A-Za-z0-9(])/dy
const tokenName = /(?:access|auth|refresh|bot|bearer|api|personal|secret)[_ -]?[tT]$/i

function keyAt(text: string, index: number): TextRange | undefined {
  const lead = before(text, index, 24)
  const isNamed = /^o/i.test(text.charAt(index))
    ? tokenName.test(lead)
    : /(?:^|[^a-zA-Z])[aA]$|[sS]$|[a-z_ -]A$/.test(lead)
  const found = isNamed ? group(keyForm, text, index) : undefined
  return found && isGenerated(text.slice(...found.span)) ? found.span : undefined
}

/** Matches up to the first letter of the scheme. */
const authorization = /authorization(?:\\?["'])?\s{0,3}[:=]\s{0,3}(?:\\?["'])?b$/i

const basicForm = /asic\s{1,3}(?<secret>[A-Za-z0-9+/]{8,512}={0,2})/dy
function basicAt(text: string, index: number): TextRange | undefined {
  if (!authorization.test(before(text, index, 40))) return undefined
  const found = group(basicForm, text, index)
  return found && isUserAndPassword(text.slice(...found.span)) ? found.span : undefined
}

const sixBits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** True for Base64 (RFC 4648) of printable text that contains a colon (RFC 7617). */
function isUserAndPassword(coded: string): boolean {
  let bits = 0
  let size = 0
  let hasColon = false
  for (const char of coded.replace(/=+$/, '')) {
    bits = ((bits << 6) | sixBits.indexOf(char)) & 0xfff
    size += 6
    if (size < 8) continue
    size -= 8
    const byte = (bits >> size) & 0xff
    if (byte < 0x20 || byte === 0x7f) return false
    hasColon ||= byte === 0x3a
  }
  return hasColon
}

const bearerForm = /earer\s{1,3}(?<secret>[A-Za-z0-9._~+/-]{12,2000}={0,2})/dy
function bearerAt(text: string, index: number): TextRange | undefined {
  const found = /[bB]$/.test(before(text, index, 1)) ? group(bearerForm, text, index) : undefined
  if (!found) return undefined
  const token = text.slice(...found.span)
  // In its header a token may be shorter, and have fewer digits: with letters of both cases, and not as a name.
  const isInHeader = authorization.test(before(text, index, 40))
  const isMixedCase = /[a-z]/.test(token) && /[A-Z]/.test(token)
  const leastDigits = isInHeader && isMixedCase && !/token|your/i.test(token) ? 1 : 3
  return (isInHeader || token.length >= 20) && isGenerated(token, leastDigits) ? found.span : undefined
}

/** Finds a secret without a form within `reach` characters of an id with a form. */
function besides(id: RegExp, secret: RegExp, reach: number): WrittenRule['find'] {
  return (text, index) => {
    id.lastIndex = index
    if (!id.test(text) || /\w$/.test(before(text, index, 1))) return undefined
    const from = id.lastIndex
    const found = secret.exec(text.slice(from, from + reach)) ?? undefined
    if (found) return [from + found.index, from + found.index + found[0].length]
    const start = Math.max(0, index - reach)
    const earlier = secret.exec(text.slice(start, index))
    return earlier ? [start + earlier.index, start + earlier.index + earlier[0].length] : undefined
  }
}

const discordForm = /[MNO][TDjz][A-Za-z0-9_-]{20,26}\.[\w-]{6}\.[\w-]{27,45}/y
function discordAt(text: string, index: number): TextRange | undefined {
  discordForm.lastIndex = index
  const isFree = !/[\w.+/-]$/.test(before(text, index, 1))
  return isFree && discordForm.test(text) ? [index, discordForm.lastIndex] : undefined
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const followed = (starts: readonly string[], next: string) =>
  starts.flatMap((start) => [...next].map((char) => start + char))

/** Options of curl that often precede or include `-u`. */
const joined = ['-su ', '-sSu ', '-fsSu ', '-sSfu ', '-Lu ', '-sLu ', '-ku ', '-sku ', '-iu ', '-vu ']

/** The first matching rule counts. A rule of the form table takes precedence. */
export const writtenRules: readonly WrittenRule[] = [
  {
    id: 'password',
    begins: [
      'pass',
      'Pass',
      'PASS',
      'pwd',
      'Pwd',
      'PWD',
      ...followed(['pw', 'Pw', 'PW'], ' =:'),
      'ennwort',
      'ontraseña',
    ],
    find: passwordFrom,
  },
  {
    id: 'password',
    begins: ['--user', '--proxy-user', ...followed(['-u'], `"' ${letters}`), ...joined],
    find: userAt,
  },
  { id: 'password', begins: followed(['-p'], `"'= ${letters}`), find: optionAt },
  { id: 'basic-auth', begins: ['asic '], find: basicAt },
  { id: 'bearer-token', begins: ['earer '], find: bearerAt },
  {
    id: 'assigned-key',
    begins: [
      'pi key',
      'pi_key',
      'pi-key',
      'piKey',
      'pikey',
      'PI key',
      'PI_KEY',
      'PI-KEY',
      'PI-Key',
      'PI_Key',
      'pi-Key',
      'PI Key',
      'ecret',
      'ECRET',
      'oken',
      'OKEN',
    ],
    find: keyAt,
  },
  {
    id: 'aws-secret-key',
    begins: ['AKIA', 'ASIA'],
    find: besides(
      /A[KS]IA[A-Z2-7]{16}/y,
      /(?<![A-Za-z0-9/+])(?=[^\s]{0,39}\d)(?=[^\s]{0,39}[A-Z])(?=[^\s]{0,39}[a-z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/,
      200,
    ),
  },
  {
    id: 'twilio-token',
    begins: followed(['AC'], '0123456789abcdef'),
    find: besides(/AC[0-9a-f]{32}(?!\w)/y, /(?<!\w)[0-9a-f]{32}(?!\w)/, 120),
  },
  {
    id: 'discord-token',
    begins: followed(['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'], 'AEIMQUYcgk'),
    find: discordAt,
  },
  { id: 'seed-phrase', begins: ['seed ', 'Seed ', 'ecovery ', 'nemonic', 'wallet'], find: seedAfter },
]

/**
 * Finds a password after any spelling of its name. The prefixes of `Kennwort` and `contraseña` lack the first letter.
 */
function passwordFrom(text: string, index: number): TextRange | undefined {
  return passwordAt(text, /^[eo]/.test(text.charAt(index)) ? index - 1 : index)
}

/** Detects a secret without a prefix by the name of its field. */
export interface FieldRule {
  readonly id: string
  /** Matches the name of the field. */
  readonly field: RegExp
  holds(text: string): boolean
}

export const fieldRules: readonly FieldRule[] = [
  { id: 'aws-secret-key', field: /secret_?access_?key$/i, holds: (text) => /^[A-Za-z0-9/+]{40}$/.test(text) },
  {
    id: 'password',
    field: /(?:^|[_.-]|[a-z0-9])(?:password|passwd|passwort|kennwort|passphrase|pwd)\d?$/i,
    holds: (text) =>
      text.length <= 256 && (isPassword({ text, isQuoted: true, isSure: true }) || isPassphrase(text)),
  },
  {
    id: 'assigned-key',
    field: /(?:api_?-?key|client_?secret|secret_?key|(?:access|auth|refresh|bot|bearer)_?token)$/i,
    holds: (text) => /^\S{20,4000}$/.test(text) && isGenerated(text),
  },
  {
    id: 'social-security-number',
    field: /(?:^|_)(?:ssn|social_?security(?:_?(?:number|no))?)$/i,
    holds: (text) => /^\d{3}[ -]?\d{2}[ -]?\d{4}$/.test(text),
  },
  { id: 'seed-phrase', field: /(?:seed|recovery)_?(?:phrase|words)$|^mnemonic$/i, holds: isSeedWords },
]
