// Light words: verbs and small words that fit any subject (go, find, say, now), in several languages. They are no
// subject of a question.
// Invariant: only words of a language that the question may be in are light, so that a word with another meaning in
// another language (`son`, `war`) stays a subject.
import { commonWordsOf, type CommonLanguage } from '../core/text/content-word.ts'
import { fold } from '../core/text/fold.ts'
import { tokenize } from '../store/word/tokenize.ts'

const verbs: Readonly<Record<CommonLanguage, string>> = {
  en:
    'want wants wanted wanting need needs needed know knows knew known knowing go goes going gone went come comes coming came ' +
    'get gets getting got gotten never always still find finds finding found say says said saying tell tells told telling ' +
    'drive drives driving drove driven now did have having make makes made making take takes took taken taking see sees saw ' +
    'seen seeing think thinks thought thinking give gives gave given giving put puts putting keep keeps kept keeping let lets ' +
    'look looks looked looking try tries tried trying use uses used using ask asks asked asking show shows showed shown mean ' +
    'means meant happen happens happened happening anybody anyone somebody someone everybody everyone',
  de:
    'gehen gehe gehst geht ging gingen gegangen finden finde findest findet fand gefunden sagen sage sagst sagt sagte gesagt ' +
    'bekommen bekomme bekam kriegen kriege gekriegt fahren fahre fährst fährt fuhr gefahren machen mache machst macht machte ' +
    'gemacht nehmen nehme nimmt nahm genommen kommen komme kommt kam gekommen sehen sehe siehst sieht sah gesehen wissen weiß ' +
    'weißt wusste gewusst denken denke denkt dachte gedacht wollen will willst wollte wollten erzählen erzählt geben gebe gibt ' +
    'gab gegeben tun tue getan hatten haben habt hast hatte nochmal eigentlich gerade',
  fr:
    'aller allé vais vas allons trouver trouve trouvé dire dis dit disait obtenir conduire conduit maintenant faire fais fait ' +
    'avais avait prendre prends prend pris venir viens vient venu voir vois voit vu vue savoir sais sait su penser pense pensé ' +
    'vouloir veux veut voulu raconter raconté donner donne donné est-ce',
  es:
    'ir voy vas vamos iba encontrar encuentro encontré decir digo dice dijo dicho conseguir conducir conduje ahora hacer hago ' +
    'hace hizo hecho haber había tomar tomo tomé venir vengo viene vino ver veo visto vi saber sé sabe pensar pienso pensé ' +
    'querer quiero quiere quería contar conté dar di dio dado eso',
  it:
    'andare vado vai va andato trovare trovo trovato dire dico dice detto ottenere guidare guidato adesso ora fare faccio fa ' +
    'fatto avere avevo prendere prendo preso venire vengo viene venuto vedere vedo visto sapere so sa saputo pensare penso ' +
    'pensato volere voglio vuole raccontare raccontato dare dato',
  pt:
    'ir vou vai vamos ia encontrar encontrei encontrou dizer digo diz disse dito conseguir dirigir agora fazer faço faz fez ' +
    'feito ter tinha tomar tomei vir vem veio ver vejo viu vi visto saber sei sabe pensar penso pensei querer quero quer ' +
    'queria contar contei dar dei deu dado sobre',
  nl:
    'gaan ga gaat ging gegaan vinden vind vond gevonden zeggen zeg zegt zei gezegd krijgen kreeg rijden reed nu maken maak ' +
    'maakt gemaakt nemen neem neemt nam genomen komen kom komt kwam gekomen zien zie ziet zag gezien weten weet wist denken ' +
    'denk dacht willen wilde vertellen vertelde verteld',
}

/** Verbs and small words as pairs of letters. */
const unspacedPairs =
  '我们 你们 他们 什么 怎么 知道 觉得 现在 告诉 想要 看到 看见 找到 得到 去了 来了 说了 做了 哪里 有没 没有 ' +
  '知っ 思っ 思い 言っ 言い 行っ 行き 見た 見つ 来た 取っ 欲し 今は ' +
  '지금 했어 있어 갔어 봤어 알아 말했 가져 어디 무엇'

/** Verbs of everyday life. In "what does X eat", such a verb is about X. */
const everydayVerbs =
  'eat drink cook sleep live work buy sell pay cost play read write call meet visit walk run weigh grow look like fly swim ' +
  'travel speak talk hunt breed mate open close start end begin wear sing dance jump study'

const termsOf = (words: string) => new Set(words.split(' ').flatMap((word) => tokenize(word)))

interface LanguageWords {
  readonly common: ReadonlySet<string>
  /** Terms of the light words: verbs and common words. Common words of English are stop words, or may be a subject. */
  readonly light: ReadonlySet<string>
}

let languages: readonly LanguageWords[] | undefined
let pairs: ReadonlySet<string> | undefined

const loadLanguages = () =>
  (languages ??= (Object.keys(verbs) as CommonLanguage[]).map((language) => {
    const common = commonWordsOf(language)
    const words = language === 'en' ? verbs.en : [verbs[language], ...common].join(' ')
    return { common, light: termsOf(words) }
  }))

/** A question may be in another language than English if it has at least this many of its common words. */
const minCommonWords = 2

/** The languages that `text` may be in, other than English: those with more of their common words in it than English has. */
function otherLanguagesOf(text: string): readonly LanguageWords[] {
  const words = text.split(/[^\p{L}\p{M}]+/u).map(fold)
  const count = ({ common }: LanguageWords) => words.filter((word) => common.has(word)).length
  const [english, ...others] = loadLanguages()
  const least = Math.max(minCommonWords, english ? count(english) + 1 : 0)
  return others.filter((other) => count(other) >= least)
}

/** True for a text in German, French, Spanish, Italian, Portuguese or Dutch that has at least two of its common words. */
export const isOtherLanguage = (text: string): boolean => otherLanguagesOf(text).length > 0

/** A function that is true for light terms of the languages that `text` may be in; English if it is in no other. */
export function lightTermsOf(text: string): (term: string) => boolean {
  const possible = otherLanguagesOf(text)
  const spoken = possible.length > 0 ? possible : loadLanguages().slice(0, 1)
  const unspaced = (pairs ??= new Set(unspacedPairs.split(' ')))
  return (term) => spoken.some(({ light }) => light.has(term)) || unspaced.has(term)
}

const doQuestion = new RegExp(
  `(?<![\\p{L}])(?:do|does|did)\\s+(?:(?:an?|the|my|your|our|his|her|their)\\s+)?(?:\\p{L}+\\s+)?(\\p{L}+)\\s+(${everydayVerbs.replaceAll(' ', '|')})(?![\\p{L}])`,
  'iu',
)

/** The terms of the subject and the verb of an English question with `do`: `giraffe` and `eat` of "what does a giraffe eat". */
export function doQuestionOf(text: string): { readonly subject: string; readonly verb: string } | undefined {
  const [, subject = '', verb = ''] = doQuestion.exec(text) ?? []
  const [first] = tokenize(subject)
  const [second] = tokenize(verb)
  return first === undefined || second === undefined ? undefined : { subject: first, verb: second }
}
