// People close to the speaker. A sentence about one of them is read as if that person said it: "My sister lives in Porto" as
// "I live in Porto", and its facts are of the sister.
import { anyCase, compile } from './fact-pattern.ts'

/** One word for each relation, in any language. */
const relations: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    wife: 'wife frau mujer esposa femme épouse',
    husband: 'husband mann ehemann marido esposo mari époux',
    partner: 'partner partnerin pareja compagnon compagne',
    girlfriend: 'girlfriend novia copine',
    boyfriend: 'boyfriend novio copain',
    son: 'son sohn hijo fils',
    daughter: 'daughter tochter hija fille',
    mother: 'mother mom mum mutter mama madre mamá mère maman',
    father: 'father dad vater papa padre papá père',
    brother: 'brother bruder hermano frère',
    sister: 'sister schwester hermana sœur soeur',
    grandmother: 'grandmother grandma granny großmutter oma abuela grand-mère mamie',
    grandfather: 'grandfather grandpa großvater opa abuelo grand-père papi',
    grandson: 'grandson enkel nieto',
    granddaughter: 'granddaughter enkelin nieta',
    aunt: 'aunt tante tía',
    uncle: 'uncle onkel tío oncle',
    cousin: 'cousin cousine primo prima',
    niece: 'niece nichte sobrina nièce',
    nephew: 'nephew neffe sobrino neveu',
    dog: 'dog hund perro chien',
    cat: 'cat katze gato chat',
    horse: 'horse pferd caballo cheval',
    boss: 'boss chef chefin jefe jefa',
    manager: 'manager',
    friend: 'friend freund freundin amigo amiga ami amie',
  }).flatMap(([relation, words]) => words.split(' ').map((word) => [word, relation])),
)
const kin = Object.keys(relations)
  .toSorted((a, b) => b.length - a.length)
  .join('|')
const possessive = '(?:my|our|meine?|unsere?|mi|nuestr[oa]|mon|ma|notre)'
const named = String.raw`(?<name>\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2})`
const dates =
  /^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December)/
const calledPatterns = [
  String.raw`${anyCase(possessive)} (?<kin>${anyCase(kin)})(?: is (?:called|named)|['’]s name is| hei(?:ß|ss)t| se llama| s['’]appelle) ${named}`,
  String.raw`(?:[Aa]n?|[Mm]y|[Oo]ur) (?<kin>${anyCase(kin)}) (?:called|named) ${named}`,
  String.raw`${anyCase(possessive)} (?<kin>${anyCase(kin)}),? ${named}`,
].map((source) => compile(`(?<![\\p{L}])${source}`))

/** Names of people that a sentence gives, with their relation to the speaker. */
export function findNames(sentence: string): { relation: string; name: string }[] {
  const found = calledPatterns.flatMap((pattern) => {
    const { kin: word = '', name = '' } = pattern.exec(sentence)?.groups ?? {}
    const relation = relations[word.toLowerCase()]
    return relation === undefined || name === '' || dates.test(name) ? [] : [{ relation, name }]
  })
  return found.filter((one, index) => found.findIndex(({ relation }) => relation === one.relation) === index)
}

/** Verbs of a third person, and the words of a first person for them. */
const verbs: readonly (readonly [third: string, first: string])[] = [
  ['is', 'I am'],
  ["isn't", "I'm not"],
  ['lives', 'I live'],
  ['works', 'I work'],
  ['has', 'I have'],
  ['likes', 'I like'],
  ['loves', 'I love'],
  ['hates', 'I hate'],
  ['speaks', 'I speak'],
  ['suffers', 'I suffer'],
  ["doesn't", "I don't"],
  ["can't", "I can't"],
  ['was', 'I was'],
  ['ist', 'Ich bin'],
  ['wohnt', 'Ich wohne'],
  ['lebt', 'Ich lebe'],
  ['arbeitet', 'Ich arbeite'],
  ['hat', 'Ich habe'],
  ['mag', 'Ich mag'],
  ['spricht', 'Ich spreche'],
  ['leidet', 'Ich leide'],
  ['isst', 'Ich esse'],
  ['es', 'Soy'],
  ['vive', 'Vivo'],
  ['trabaja', 'Trabajo'],
  ['tiene', 'Tengo'],
  ['habla', 'Hablo'],
  ['padece', 'Padezco'],
  ['no es', 'No soy'],
  ['no come', 'No como'],
  ['est', 'Je suis'],
  ["n'est", 'Je ne suis'],
  ['habite', "J'habite"],
  ['vit', 'Je vis'],
  ['travaille', 'Je travaille'],
  ['souffre', 'Je souffre'],
  ['parle', 'Je parle'],
  ['a', "J'ai"],
  ['aime', "J'aime"],
]
const firstPerson = new Map(verbs)
const thirdPerson = [...firstPerson.keys()].toSorted((a, b) => b.length - a.length).join('|')
const aboutKin = compile(
  String.raw`^(?:[^,]{0,30}, )?${anyCase(possessive)} (?<kin>${anyCase(kin)})(?:,? \p{Lu}[\p{L}'’-]+,?)? (?<verb>${anyCase(thirdPerson)}) (?<rest>.+)$`,
)

/** A sentence about a relative as that person would say it; undefined if the sentence is not about one. */
export function asRelative(sentence: string): { relation: string; sentence: string } | undefined {
  const { kin: word = '', verb = '', rest = '' } = aboutKin.exec(sentence.replaceAll('’', "'"))?.groups ?? {}
  const relation = relations[word.toLowerCase()]
  const first = firstPerson.get(verb.toLowerCase())
  return relation !== undefined && first !== undefined
    ? { relation, sentence: `${first} ${rest}` }
    : undefined
}
