// The values of a matched text: lists taken apart, articles and trailing adverbs removed.

/** Attributes with several values in one sentence: `tea, dark chocolate and long walks`. */
const listed = new Set(['likes', 'dislikes', 'allergic to', 'speaks', 'avoids', 'children', 'pets'])

/** Returns the values that `text` states for `attribute`, none of them empty. */
export function valuesOf(attribute: string, text: string): readonly string[] {
  const parts = listed.has(attribute) ? splitList(text) : [text]
  return parts.map((part) => normalized(attribute, cleanValue(part))).filter((part) => part !== '')
}

const comma = /\s*,\s*/
const lastJoint = /,?\s+(?:and|or|nor|und|oder|et|ou|y|e|o|ni)\s+/iu
/** A part that begins like this is another thought, not a value of the list. */
const otherThought =
  /^(?:i|we|you|he|she|it|they|my|our|this|that|there|please|too|also|thanks?|by|especially|honestly|actually|so|not|is|am|are|was|were|have|has|had|will|would|can|could|do|does|did|go|ich|wir|er|sie|es|das|bitte|auch|je|j['’].*|nous|il|elle|on|c['’].*|yo|ella|él|también|por|work|live|want|need|think|hope|hate|love|like|prefer|arbeite|wohne|lebe|mag|habe|bin|vivo|tengo|soy|trabajo)(?![\p{L}])/iu
const mostWords = 5

/**
 * `a, b and c` in three parts. A comma parts values only in a list with a joint: "tea, by the way" is tea. Another
 * thought ends the list.
 */
function splitList(text: string): readonly string[] {
  const commas = text.split(comma)
  const joint = commas.findIndex((part, index) => lastJoint.test(part) || (index > 0 && startsJoined(part)))
  const parts = (joint < 0 ? commas.slice(0, 1) : commas.slice(0, joint + 1)).flatMap((part) =>
    part.replace(/^(?:and|or|und|oder|et|ou|y|e|o|ni)\s+/iu, '').split(lastJoint),
  )
  const end = parts.findIndex(
    (part, index) => index > 0 && (otherThought.test(part) || part.split(/\s+/).length > mostWords),
  )
  return end < 0 ? parts : parts.slice(0, end)
}

const startsJoined = (part: string) => /^(?:and|or|und|oder|et|ou|y|e|ni)\s/iu.test(part)

const article = new RegExp(
  `^(?:(?:${[
    'a little|a bit of|the|an?|to|some|any|fluent|native',
    'der|die|das|den|dem|gegen|ein wenig|ein bisschen|etwas',
    'à la|un peu de|un peu|de la|aux?|des|du|les?|la|à',
    'a la|a los|a las|un poco de|algo de|al|el|los|las',
  ].join('|')}) |(?:à l|un peu d|l)['’])(?=\\p{L})`,
  'u',
)
const trailing =
  /(?: (?:now|too|as well|very much|a lot|anymore|any more|these days|at the moment|right now|a little|jetzt|sehr|gerne?|gezogen|auch|también|mucho|aussi|beaucoup))+$/iu

/** Returns `value` without its articles, adverbs at its end, and punctuation around it; may be empty. */
function cleanValue(value: string): string {
  return value
    .trim()
    .replace(article, '')
    .replace(trailing, '')
    .replaceAll(/^[\s"'“”‘’.-]+|[\s"'“”‘’-]+$|(?<!\p{Lu})\.+$/gu, '')
}

/** One word for each way of contact, in any language. */
function normalized(attribute: string, value: string): string {
  if (attribute !== 'contact') return value
  const time = /^(?:don['’]?t|do not|never) (?:call|phone|ring) me (.+)$/iu.exec(value)?.[1]
  if (time !== undefined) return `not ${time}`
  if (/^(?:call|phon|ring|an$|llam|appel|telefon)/iu.test(value)) return 'phone'
  if (/^(?:e-?mail|mail|correo|courriel)/iu.test(value)) return 'email'
  if (/^(?:text|sms)/iu.test(value)) return 'text'
  if (/^(?:message|nachricht|mensaje)/iu.test(value)) return 'message'
  return value
}
