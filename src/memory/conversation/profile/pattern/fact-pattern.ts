// The parts that patterns of all languages share. Each finds one attribute of the speaker in one sentence.

/** A pattern with the group `v` for the value and, if the attribute depends on the text, the group `k`. */
export interface FactPattern {
  /** With a group `k`, the attribute is this text and the group: `favourite colour`. */
  readonly attribute: string
  readonly pattern: RegExp
  /** True: the pattern states that the value is not or no longer true. */
  readonly denied?: true
}

const wordStart = String.raw`(?<![\p{L}\p{N}'’])`
const wordEnd = String.raw`(?![\p{L}\p{N}])`
/** Periods that end no sentence follow initials and a few titles. */
const shortWord = String.raw`(?<![\p{L}])(?:\p{Lu}|St|Mt|Dr|Mr|Mrs|Ms)`
const abbreviation = String.raw`(?<=${shortWord})\.`
const end = String.raw`$|[!?;:()\n…]|(?<!${shortWord})\.`
const contrast = String.raw`(?:but|because|so|since|which|who|while|though|aber|weil|denn|sondern|mais|parce|car|pero|porque|sino)`
const conjunction = String.raw`(?:and|und|et|y)`
/** A value ends at the end of the clause. */
const clauseEnd = String.raw`(?=${end}|,| (?:${contrast}|${conjunction})${wordEnd})`
export const value = String.raw`(?<v>[\p{L}\p{N}](?:[^.!?;:()\n,]|${abbreviation}){0,80}?)${clauseEnd}`
/** Several values: ends where another thought begins. `splitList` takes it apart. */
export const valueList = String.raw`(?<v>[\p{L}\p{N}](?:[^.!?;:()\n]|${abbreviation}){0,160}?)(?=${end}|,? ${contrast}${wordEnd})`
const nameWord = String.raw`\p{Lu}[\p{L}'’-]*(?:(?<=(?<![\p{L}])(?:\p{Lu}|St|Mt))\.)?`
export const properName = String.raw`(?<v>${nameWord}(?: (?:(?:de|da|del|la|van|von|der|den|al|bin) )?${nameWord}){0,4})`
export const placeName = String.raw`(?<v>(?:the |den |die |das |la |le |les |el |los |las )?${nameWord}(?:[ -](?:(?:de|da|del|la|am|an|der|sur|upon|en)[ -])?${nameWord}){0,4})`

/** Creates a pattern that matches in any case. */
export const createPattern = (attribute: string, pattern: string, denied?: true): FactPattern => ({
  attribute,
  pattern: compile(`${wordStart}${anyCase(pattern)}`),
  ...(denied ? { denied } : {}),
})

/** Creates a pattern for a name or a place. Capitals identify the name, so only the words before it match in any case. */
export const createNamePattern = (
  attribute: string,
  prefix: string,
  name: string,
  denied?: true,
): FactPattern => ({
  attribute,
  pattern: compile(`${wordStart}${anyCase(prefix)}${name}`),
  ...(denied ? { denied } : {}),
})

/** Letters of Latin, Greek and Cyrillic script, in ranges. */
const letters = 'A-Za-zÀ-ʯͰ-ӿ'
const capitals = `A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я${Array.from({ length: 128 }, (_, index) => String.fromCharCode(256 + index))
  .filter((letter) => letter !== letter.toLowerCase())
  .join('')}`

/**
 * Compiles a pattern in which `\p{L}`, `\p{Lu}` and `\p{N}` mean letters, capitals and digits of the scripts above. The classes of
 * Unicode have hundreds of ranges, which take V8 ten times as long to compile.
 */
export function compile(pattern: string): RegExp {
  const classes: Readonly<Record<string, string>> = {
    '\\p{L}': letters,
    '\\p{Lu}': capitals,
    '\\p{N}': '0-9',
  }
  return new RegExp(
    pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]|\\p\{\w+\}/g, (part) => {
      const inner = part.replaceAll(/\\p\{\w+\}/g, (name) => classes[name] ?? name)
      return part.startsWith('[') ? inner : `[${inner}]`
    }),
  )
}

/** Returns `text`, a pattern, with each letter in both cases. */
export function anyCase(text: string): string {
  return text.replaceAll(/\[[^\]]*\]|\\p\{\w+\}|\\.|\(\?(?:<\w+>|[:=!<]+)|\p{L}/gu, (part) => {
    if (part.startsWith('[')) return part.replaceAll(/\\p\{\w+\}|\\.|\p{L}/gu, (one) => bothCases(one))
    const both = bothCases(part)
    return both === part ? part : `[${both}]`
  })
}

/** The letter in lower and upper case; anything else unchanged. */
const bothCases = (part: string) =>
  part.length > 1 || part.toLowerCase() === part.toUpperCase()
    ? part
    : `${part.toLowerCase()}${part.toUpperCase()}`
