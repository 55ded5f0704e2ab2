// Beginnings of sentences that give a standing rule, by language. `find-candidate.ts` removes polite words first.

export interface RuleCue {
  readonly begins: RegExp
  /** `name`: a word with a capital letter must follow. `courtesy`: the sentence is polite, and not for this moment only. */
  readonly needs?: 'name' | 'courtesy'
}

const end = '(?!\\p{L})'

/** `unless`: words that must not follow the matched ones. */
function cue(begins: string, { unless, needs }: { unless?: string; needs?: RuleCue['needs'] } = {}): RuleCue {
  const pattern = new RegExp(`^(?:${begins})${unless === undefined ? '' : `(?!(?:${unless})${end})`}`, 'iu')
  return needs ? { begins: pattern, needs } : { begins: pattern }
}

/** Cues of English. */
const english: readonly RuleCue[] = [
  cue('(?:always|never)\\s', { unless: 'mind|again|before|ever|ha[vds]e?|been|was|did|an?|the|in|on|sure' }),
  cue('(?:from (?:now|here|today) on|going forward|henceforth|in (?:the )?future),?\\s(?:please,?\\s)?', {
    unless:
      "the|an?|my|our|his|her|their|its?|i|i['’]ll|i['’]m|we|he|she|they|th(?:is|at|ese|ose|ere)|every\\p{L}*",
  }),
  cue("(?:from now on|going forward),?\\s(?:please\\s)?i(?: want|['’]d like| would like) "),
  cue("(?:don['’]t|do not) ever\\s"),
  cue("(?:don['’]t|do not)\\s", {
    needs: 'courtesy',
    unless: 'be (?:sorry|afraid)|get me wrong|mention it',
  }),
  cue("(?:you (?:can|may|should) |(?:don['’]t|do not|never) )?call me\\s", { needs: 'name' }),
  cue(
    "i(?: (?:really|much|generally|usually|would)|['’]d)? prefer .+\\s(?:over|to|rather than|instead of)\\s",
    {
      unless: 'be',
    },
  ),
  cue('you (?:should|must|shall|are to|have to|need to|can|may) (?:always|never)\\s'),
  cue("(?:make sure (?:you |to )?|i(?: want| need| would like|['’]d like) you to )(?:always|never)\\s"),
  cue(
    `(?:add|address|answer|ask|call|check|format|give|keep|leave|let|make|put|reply|send|show|skip|speak|start|stop|talk|tell|use|write)\\s.*\\b(?:from (?:now|here) on|going forward|in future)${end}`,
  ),
  cue('(?:under no circumstances|in no case|at no time)\\s', { unless: 'was|were|did|had' }),
]

const germanSubject = 'ich|er|es|sie|wir|man|der|die|das|den|ein|eine|einen|wer|was|wie'
/** The first word of an instruction: `verwende`, `verwenden Sie`, and the short forms of common verbs. */
const germanImperative = `(?!(?:${germanSubject}|ihr|heute|alle|diese|viele|keine|meine|deine|seine|ihre|unsere)\\s)(?:\\p{L}+e|\\p{L}+en sie|antwort|benutz|bleib|fass|frag|geh|gib|halt|komm|lass|leg|lies|lösch|mach|nenn|nimm|nutz|öffn|red|ruf|sag|schick|schreib|setz|sprich|stell|verwend|zeig)\\s`
const german: readonly RuleCue[] = [
  // A finite verb after the first word means that this is a subject: `Sabine kommt nie`.
  cue(
    `${germanImperative}(?!(?!nicht|mit|jetzt|dort|erst|fast|sofort|selbst)\\p{L}+t\\s|(?:ich|du|er|wir|ihr)\\s)(?:(?!nicht immer).)*?\\b(?:immer|niemals|nie|stets|künftig|in zukunft|ab (?:jetzt|sofort)|von nun an)${end}`,
  ),
  cue('(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|in zukunft),?\\s(?:bitte\\s)?', {
    unless: `${germanSubject}|mein\\p{L}*|(?!nicht|bitte)\\p{L}+t|habe|bin|werde|sind|haben|werden|kann|muss|\\p{L}+ (?:ich|er|man)`,
  }),
  cue(`(?!(?:${germanSubject})\\s).*?(?<!\\p{L})(?:nicht|kein\\p{L}*|nie|niemals)${end}`, {
    needs: 'courtesy',
  }),
  cue('(?:du (?:kannst|darfst|sollst) mich|nenne? mich|nennt mich|nennen sie mich)\\s(?:bitte\\s)?', {
    needs: 'name',
  }),
  cue(`ich (?:bevorzuge|ziehe|mag|habe|nehme) .+\\s(?:gegenüber|statt|lieber als|vor)${end}`),
  cue(`du (?:sollst|solltest|darfst|musst) (?:(?!nicht immer).)*?\\b(?:immer|nie|niemals)${end}`),
  cue(
    '(?:niemals|nie|immer|auf keinen fall|unter keinen umständen)\\s(?!(?:ha[bt]\\p{L}*|war\\p{L}*|ist|bin|sind|w[iu]rd\\p{L}*|wieder)\\s).*\\p{L}{2}en[.!]*$',
  ),
]

const spanish: readonly RuleCue[] = [
  cue(`(?!(?:ella|es[ea]|est[ea]|casi|de|que|me|se)\\s)\\p{L}+(?:[ae]|me|lo|la) siempre${end}`),
  cue(
    `(?:nunca|jamás|no(?=.*\\b(?:nunca|jamás)))(?: (?:me|l[aeo]s?|nos))* (?!(?:antes|es|has|eres|vas|estás|tienes|ves|quieres|puedes|debes|sabes|haces|dices)${end})\\p{L}+[ea]s${end}`,
  ),
  cue(`(?:a partir de ahora|de (?:ahora|hoy) en adelante|desde ahora|en adelante|en el futuro),?\\s`, {
    unless:
      'el|l[ao]s?|una?|mis?|sus?|nuestr\\p{L}+|yo|él|ell[ao]s?|se|hay|voy|es|será|\\p{L}+(?:amos|emos|imos)',
  }),
  cue(
    `(?:\\p{L}+(?:[áéí]\\p{L}+(?:me|nos|l[ao]s?))|us[ae]|respond[ae]|escrib[ae]|habl[ae])\\s.*(?:a partir de|de|desde) ahora(?: en adelante)?${end}`,
  ),
  cue(`no (?:\\p{L}{2,3} )*\\p{L}+[ea]s?${end}`, { needs: 'courtesy' }),
  cue('(?:llám[ae]me|(?:puedes?|podés) llamarme)\\s', { needs: 'name' }),
  cue('(?:yo )?prefiero .+\\s(?:al?|antes que|en lugar de|en vez de|sobre)\\s'),
  cue(`(?:debes|deberías|tienes que) .*?\\b(?:siempre|nunca)${end}`),
]

const french: readonly RuleCue[] = [
  cue(
    `(?!(?:presque|depuis|pour|comme|pas|elles?|ils?|nous|vous|je|tu|on|est)\\s)\\p{L}+(?:-(?:moi|nous|les?|la|lui))? toujours${end}`,
  ),
  cue(`n(?:e\\s|['’]).*?\\bjamais${end}`),
  cue(
    "(?:[àa] partir de maintenant|désormais|dorénavant|[àa] l['’]avenir|dès maintenant),?\\s(?![ljc]['’])",
    {
      unless: 'les?|la|une?|m(?:on|a|es)|n(?:otre|os)|s(?:on|a|es)|leurs?|je|ils?|elles?|nous|on|ce',
    },
  ),
  cue(
    `(?:\\p{L}+-(?:moi|nous|les?|la|lui)|utilisez?|répond(?:s|ez)|écri(?:s|vez)|parlez?|fai(?:s|tes))\\s.*(?:désormais|dorénavant|à l['’]avenir|à partir de maintenant)${end}`,
  ),
  cue(`n(?:e\\s|['’]).*?\\b(?:pas|plus)${end}`, { needs: 'courtesy' }),
  cue("(?:appelle(?:z)?-moi|(?:tu peux|vous pouvez) m['’]appeler)\\s", { needs: 'name' }),
  cue('je préfère .+\\s(?:à|aux?|plutôt que)\\s'),
  cue(`(?:tu|vous) (?:ne )?d(?:ois|evez|evrais|evriez) (?:toujours|jamais)${end}`),
]

export const ruleCues: readonly RuleCue[] = [...english, ...german, ...spanish, ...french]
