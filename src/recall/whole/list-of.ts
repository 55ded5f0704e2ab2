// The rules for "give me a list of my visits", in seven languages. Pure. Sources of regular expressions over folded text.
// Invariant: the list is of things that exist ("of my visits", "of the things I bought"). "A list of three ideas" asks to
// invent them, and is no question for records.

/** By language: verbs of the request, the list, and the words after it that name things which exist. */
const languages = [
  {
    verb: "(?:(?:give|show|get|write|make|create|draw up|draft|compile|send|provide|build|prepare)(?: me| us)?(?: with)?|(?:i|we)(?: need| want| would like|'d like))",
    list: '(?:a |the )?(?:short |quick )?list of',
    of: '(?:all|every|the|my|our|everything)',
  },
  {
    verb: '(?:(?:gib|gebe?|mache?|schreibe?|erstelle?|zeige?|schicke?)(?: mir| uns)?(?: bitte)?|(?:ich|wir) (?:brauchen?|wollen|will|mochten?|hatte gern|hatten gern))',
    list: '(?:eine |die )?(?:kurze )?liste',
    of: '(?:der|des|aller|meine[rs]|unsere[rs]|(?:von|mit) (?:allen?|den|meinen|unseren))',
  },
  {
    verb: '(?:(?:geef|maak|schrijf|toon|stuur)(?: me| mij| ons)?|(?:ik|we|wij) (?:wil|willen))',
    list: '(?:een |de )?(?:korte )?lijst (?:van|met)',
    of: '(?:alle|de|het|mijn|onze|alles)',
  },
  {
    verb: '(?:fais|faire|faites|donnez?|donner|montrez?|dresse|ecris)(?:-moi|-nous)?',
    list: '(?:une |la )?(?:courte )?liste',
    of: "(?:des|du|de (?:tous|toutes|tout|mes|nos|mon|ma|la)|de l'|de ce que)",
  },
  {
    verb: '(?:haz|hazme|dame|darme|hacer|hacerme|escribe|muestrame)',
    list: '(?:una |la )?(?:lista|relacion)',
    of: '(?:del|de (?:tod[oa]s?|los|las|la|lo que|mis?|nuestr[oa]s?))',
  },
  {
    verb: '(?:fammi|dammi|fai|scrivi|mostrami|farmi|darmi)',
    list: "(?:una |un |la |l')?(?:lista|elenco)",
    of: "(?:dei|degli|delle|del|della|dell'|di (?:tutt[aeio]|mie|miei|quello che|cio che))",
  },
  {
    verb: '(?:faca|faz|fazer|de-me|da-me|me de|escreva|mostre|mostre-me)(?:-me)?',
    list: '(?:uma |a )?(?:lista|relacao)',
    of: '(?:d[ao]s|d[ao]|de (?:tod[oa]s?|tudo|meus|minhas|noss[oa]s))',
  },
] as const

/** In German and Dutch the verb comes after the list. */
const verbLater =
  '(?:(?:kannst|konntest|konnen|konnten) (?:du|sie) (?:mir |uns )?(?:bitte )?|(?:kun|kan|kunt|wil) (?:je|u) (?:me |mij |ons )?)'

/** The list may stand at the beginning, or after a verb. One rule for all languages: each `request` takes time. */
const before = (request: string) =>
  `(?:^|${request}(?:${languages.map(({ verb }) => verb).join('|')}) |${verbLater})`

/** `request`: where a request begins. */
export const listOfRule = (request: string): string =>
  `${before(request)}(?:${languages.map(({ list, of }) => `${list} ${of}`).join('|')})`

/** The words that ask for the list, and are no words of a record. */
export const listOfFrame = (request: string): string =>
  `${before(request)}(?:${languages.map(({ list, of }) => `${list}(?= ${of}(?![\\p{L}]))`).join('|')})`
