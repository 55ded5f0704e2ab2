// Words and signs that turn a statement into another one: negations, directions, signs of numbers, currencies, emoji.
// Invariant: two texts that differ in them don't say the same, however many other words they share. Pure.

const words = [
  'not no never none nor neither without cannot nothing nobody yes only except unless',
  'to from into before after above below over under up down in out on off more less fewer first last',
  'nicht kein keine keinen keinem keiner nie niemals ohne ja nein nur von zu nach vor mehr weniger',
  'ne pas jamais sans aucun aucune rien oui non de vers avant apres plus moins',
  'nunca jamas sin ningun ninguna nada si hacia desde antes despues mas menos',
  'mai senza nessuno nessuna prima dopo nao sem antes depois niet geen nooit zonder',
]
const opposingWords: ReadonlySet<string> = new Set(words.join(' ').split(' '))

/** Capital words that are others in small letters. */
const capitals: ReadonlySet<string> = new Set(['US', 'IT', 'WHO'])
/** A sign, or a word. */
const wordOrSign = new RegExp(
  [
    // A sign of a number, no hyphen or range.
    '(?<![\\p{L}\\p{N}])[-−+±<>≤≥=~](?=\\s?\\p{Sc}?\\s?\\p{N})',
    // C++, C#, A-.
    '(?<=\\p{L})(?:\\+{1,2}|#|-(?![\\p{L}\\p{N}]))',
    '\\p{Sc}|\\p{Extended_Pictographic}|[✓✔✗✘☑☒]',
    "[\\p{L}\\p{M}]+(?:['’]t(?![\\p{L}]))?",
  ].join('|'),
  'gu',
)
/** A longer text counts by its beginning only. UTF-16 units. */
const maxReadChars = 20_000

/** Returns the opposing words and signs of `text` in their order, as one text to compare. */
export function oppositionOf(text: string): string {
  const parts = text.slice(0, maxReadChars).match(wordOrSign) ?? []
  return parts.flatMap((part) => oppositionIn(part) ?? []).join(' ')
}

function oppositionIn(part: string): string | undefined {
  if (!/^\p{L}/u.test(part) || capitals.has(part)) return part
  if (/n['’]t$/iu.test(part)) return 'not'
  const plain = part.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  if (plain === 'cannot') return 'not'
  return opposingWords.has(plain) ? plain : undefined
}
