// The first look at a question: may it ask for a whole answer? The rules themselves are in want.ts, which is loaded
// only then.
// Invariant: every question for which want.ts chooses a whole passes here.

/** A longer text is no question: nothing is chosen by its words. UTF-16 units. */
export const maxQuestionLength = 1000

/** Beginnings of the words that want.ts knows, in all its languages. */
const wholeWords =
  /all|li[js]+t|every|each|tutt|to[du]|tud|order|first|whole|which|over|what|or[dt][enr]|ordine|ord[ei]m|time|c?h?ronol|seque|chain|summ|overv|recap|rundown|sum up|so far|have we|how (?:man|oft)|wie (?:oft|viel)|reihe|zusam|fass|über|zähl|sämt|jede|combien|r[ée]sum|synth|[ée]num|cu[aá]nt|quant|elenc|rela[cç]|riass|riepil|volgorde|vat |hoe(?:v| v)|overz|noem|som |elke|ieder|bilan|aper|enumer|tl;?dr|samenv|s[ií]ntes|zeit[las]|tijdl|l[ií](?:nea de|nha do)|linea del|zuerst|als e|eerst|d['’]abord|prem|prime|prim[ao] |prim[ao][,:]|welchen? |welke |quel(?:le)?s |quali |quais |cu[aá]les |qu[eé] \S+s /i

export const mayAskForWhole = (text: string): boolean =>
  text.length <= maxQuestionLength && wholeWords.test(text)
