// Content words: the folded words of a text without common words. In scripts without spaces, each pair of adjacent
// characters is a word.
import { fold } from './fold.ts'

const common = {
  en:
    'a about above after again all also am an and any are as at be because been before being between both but by can could ' +
    'did do does doing down during each few for from further get got had has have having he her here hers him his how i if ' +
    'in into is it its just know let like me more most my no nor now of off oh ok okay on once one only or other our out over ' +
    'own please really same say she should so some still such than thanks that the their them then there these they thing ' +
    'this those through to too under until up us very want was we well were what when where which while who whom why will ' +
    'with would yeah yes you your d ll m re s t ve don didn doesn isn wasn won hi hello hey sure maybe going think im dont',
  de:
    'aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des dich die dies ' +
    'diese dir doch dort du durch ein eine einem einen einer eines er es etwas euch für gibt hab habe haben hat hatte hier ' +
    'ich ihm ihn ihr im immer in ist ja jetzt kann kein keine können mal man mein meine meinem meinen meiner mich mir mit muss nach nicht noch nur ' +
    'ob oder ohne schon sehr sein sich sie sind so soll über um und uns unter vom von vor war was weil wenn wer wie wieder ' +
    'will wir wird wo zu zum zur danke bitte hallo',
  fr:
    'ai alors au aussi avec avoir bien bon ce cela ces cette comme dans de des donc du elle en est et eu fait ici il ils je ' +
    'la le les leur lui ma mais me mes moi mon ne non nos notre nous on ont ou où oui par pas plus pour qu que qui sa sans se ' +
    'ses si son sont sur ta te tes toi ton tout très tu un une va vous merci bonjour',
  es:
    'al algo aquí así bien como con cual cuando de del desde donde el ella ellos en entre era es esta está este esto estoy fue ' +
    'ha hay he la las le lo los más me mi mis mucho muy nada ni no nos o para pero por porque que qué quien se ser si sí sin ' +
    'sobre son su sus también te tengo ti tu un una uno ya yo gracias hola',
  it:
    'al alla anche ancora che chi ci come con cosa da dal del della di dove e è era gli ha ho il in io la le lo lui ma mi mio ' +
    'molto nel non o per perché più quando questo se sei si sono su tu un una grazie ciao',
  pt:
    'ao aqui as até com como da das de do dos e é ela ele em era essa esse está eu foi há isso já mais mas me meu muito na não ' +
    'no nos o os ou para pela por que se sem ser seu sim são sua também te tem um uma você obrigado olá',
  nl:
    'aan als bij dan dat de deze die dit dus een en er geen had heb heeft het hij hoe ik in is ja je kan maar me met mijn naar ' +
    'niet nog nu of om ons ook op te tot uit van voor was wat we wel wij worden zijn zo zou dank hallo',
}

export type CommonLanguage = keyof typeof common

/** The common words of a language, folded. */
export const commonWordsOf = (language: CommonLanguage): ReadonlySet<string> =>
  new Set(common[language].split(' ').map(fold))

/** Common words of English, German, French, Spanish, Italian, Portuguese and Dutch, folded. */
export const commonWords: ReadonlySet<string> = new Set(
  Object.values(common).flatMap((words) => words.split(' ').map(fold)),
)

/** Characters of scripts without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u
const run = new RegExp(
  `${unspaced.source}+|(?:(?!${unspaced.source})[\\p{L}\\p{N}])+(?:['’](?:(?!${unspaced.source})\\p{L})+)*`,
  'gu',
)

/** Returns the words of `text` as written. In scripts without spaces, a word is a whole run of characters. */
export function wordsOf(text: string): string[] {
  return text.match(run) ?? []
}

/** True if `word` belongs to a script without spaces. */
export function isUnspaced(word: string): boolean {
  return unspaced.test(word)
}

/** Returns the folded content words of `text`, in order, repeats included. */
export function contentWords(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    if (isUnspaced(word)) return pairs(word)
    const folded = fold(word).replaceAll('’', "'").replace(/'s$/, '')
    return folded.length < 2 || commonWords.has(folded) || commonWords.has(folded.split("'")[0] ?? '')
      ? []
      : [folded]
  })
}

function pairs(word: string): string[] {
  const letters = [...word]
  return letters.length < 2 ? letters : letters.slice(1).map((letter, i) => `${letters[i] ?? ''}${letter}`)
}

/** Line ends and sentence ends of any script; the point of a title (Dr. Brandt) ends none. */
const sentenceEnds =
  /\n+|(?<=[.!?…]["'”’)]{0,3})(?<!(?<!\p{L})(?:Dr|Mrs?|Ms|Prof|St|Mt)\.)\s+(?=\P{Ll})|(?<=[。！？]["'”’」）]{0,3})/u

/** Splits `text` into sentences. */
export function sentencesOf(text: string): string[] {
  return text
    .split(sentenceEnds)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}
