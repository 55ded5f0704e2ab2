// Patterns of Spanish sentences about their speaker.
import {
  createNamePattern,
  createPattern,
  placeName,
  properName,
  type FactPattern,
  value,
  valueList,
} from './fact-pattern.ts'

const month = '(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)'
const date = String.raw`\d{1,2} de ${month}(?: de \d{4})?`
const condition =
  'diabetes(?: tipo [12])?|asma|epilepsia|migrañas?|artritis|artrosis|tdah|autismo|depresión|hipertensión|celiaquía|parkinson|alzhéimer|demencia|cáncer|eccema|psoriasis|esclerosis múltiple|apnea del sueño'
const job = String.raw`(?!(?:optimista|pesimista|feminista|realista|artista plástica|mejor|peor|mayor|menor|superior|señor|señora|soltero|soltera|sincero|sincera|extranjero|extranjera|primero|primera|entero|heredero|compañero|compañera)(?![\p{L}]))(?<v>[\p{L}-]+(?:ista|ero|era|dor|dora|tor|tora|sor|sora|ólogo|óloga)|médic[oa]|abogad[oa]|arquitect[oa]|músic[oa]|químic[oa]|físic[oa]|matemátic[oa]|psicólog[oa]|estudiante|docente|gerente|cantante|comerciante|maestr[oa]|pilot[oa]|técnic[oa])(?![\p{L}])`
const language =
  '(?:inglés|español|castellano|francés|alemán|italiano|portugués|gallego|catalán|euskera|vasco|ruso|polaco|checo|árabe|hebreo|chino|japonés|coreano|hindi|urdu|turco|griego|latín|quechua|guaraní|aimara|holandés|neerlandés|sueco|noruego|danés|finés|rumano|húngaro|ucraniano|persa|vietnamita|tailandés|bretón|irlandés|galés)'
const institution =
  '(?:hospital|banco|universidad|escuela|colegio|instituto|empresa|restaurante|panadería|fábrica|clínica|ayuntamiento|biblioteca|museo|farmacia|taller|tienda)'

export const spanish: readonly FactPattern[] = [
  createNamePattern('home', String.raw`(?:ya no|no) vivo en `, placeName, true),
  createNamePattern('home', String.raw`(?:ahora )?vivo (?:ahora )?en `, placeName),
  createNamePattern(
    'home',
    String.raw`(?:me mudé|me he mudado|nos mudamos|nos hemos mudado) (?:de [^.!?;,]{1,40}? )?a `,
    placeName,
  ),
  createNamePattern('origin', String.raw`(?:soy|vengo) de `, placeName),
  createNamePattern('origin', String.raw`nací (?:el [^.!?;,]{1,30}? )?en `, placeName),
  createPattern('birthday', String.raw`(?:mi cumpleaños es el|cumplo años el|nací el) (?<v>${date})`),
  createPattern('birthday', String.raw`nací en (?<v>\d{4})`),
  createPattern('age', String.raw`tengo (?<v>\d{1,3}) años`),

  createNamePattern('employer', String.raw`(?:ya no|no) trabajo (?:en|para) (?:el |la )?`, properName, true),
  createNamePattern(
    'employer',
    String.raw`trabajo (?:como [^.!?;,]{1,40}? )?(?:en|para) (?:el |la )?`,
    properName,
  ),
  createPattern(
    'employer',
    String.raw`trabajo (?:como [^.!?;,]{1,40}? )?(?:en|para) (?:el |la |un |una )(?<v>${institution}(?: [^.!?;:()\n,]{1,50}?)?)(?=$|[.!?;:,]| (?:y|desde|pero|porque|como)(?![\p{L}]))`,
  ),
  createPattern(
    'job',
    String.raw`trabajo (?:en [^.!?;,]{1,40}? )?(?:como|de) (?:un |una )?(?<v>[\p{L}-]+(?: de [\p{L}]+)?)(?![\p{L}])`,
  ),
  createPattern('job', String.raw`(?<!no )soy (?:un |una )?${job}`),
  createPattern('diet', String.raw`(?:ya no|no) soy (?<v>vegan[oa]|vegetarian[oa])`, true),
  createPattern('diet', String.raw`soy (?:ahora )?(?<v>vegan[oa]|vegetarian[oa])`),
  createPattern(
    'avoids',
    String.raw`no (?:como|bebo|tomo|puedo comer) (?!(?:nada|más|mucho|hoy|aquí|ahora|eso|esto)(?![\p{L}]))(?:el |la |los |las )?${valueList}`,
  ),
  createPattern(
    'allergic to',
    String.raw`(?:no|ya no) soy alérgic[oa] (?:a la|a los|a las|al|a) ${valueList}`,
    true,
  ),
  createPattern(
    'allergic to',
    String.raw`(?<!no )soy (?:muy |también )?alérgic[oa] (?:a la|a los|a las|al|a) (?!nada)${valueList}`,
  ),
  createPattern('health', String.raw`(?<!no )tengo (?<v>${condition})(?![\p{L}])`),
  createPattern('health', String.raw`(?<!no )(?:padezco(?: de)?|sufro de) ${value}`),

  createNamePattern('name', String.raw`(?:me llamo|mi nombre es|llámame) `, properName),
  createPattern('contact', String.raw`no me (?<v>llames?|llamen)(?: por teléfono)?(?=$|[.!?;,])`, true),
  createPattern(
    'contact',
    String.raw`(?:escríbeme|escríbame)(?: mejor)? (?:un |por )?(?<v>correo|e-?mail|mensaje|whatsapp)`,
  ),
  createPattern(
    'plan',
    String.raw`el (?<v>${date} (?:viajo|viajamos|vuelo|volamos|me mudo|nos mudamos|me caso|nos casamos|voy|vamos|empiezo|visito|visitamos)[^.!?;,]{0,60})`,
  ),
  createPattern(
    'plan',
    String.raw`(?<v>(?:viajo|viajamos|vuelo|volamos|me mudo|nos mudamos|me caso|nos casamos|empiezo|visito|visitamos)(?: [^.!?;,]{1,40}?)? el ${date})`,
  ),
  createPattern('children', String.raw`(?:tengo|tenemos) (?:[\p{L}]+ )?hij[oa]s[:,] ${valueList}`),
  createPattern('speaks', String.raw`no hablo (?:nada de )?(?<v>${language})`, true),
  createPattern(
    'speaks',
    String.raw`(?<!no )hablo (?:[^.!?;,]{1,20} )??(?<v>${language}(?:(?: y | e |, )(?:un poco de |algo de )?${language}){0,8})`,
  ),
  createPattern(
    'favourite',
    String.raw`mi (?<k>\p{L}{2,30}) (?:favorit[oa]|preferid[oa]) es (?:el |la |los |las )?${value}`,
  ),
  createPattern(
    'dislikes',
    String.raw`(?:no me gustan?|odio|detesto) (?:nada )?(?!(?:que|cuando|esto|eso|esta)(?![\p{L}]))(?:el |la |los |las )?${valueList}`,
  ),
  createPattern(
    'likes',
    String.raw`(?<!no )(?:me gustan?|me encantan?) (?!(?:que|cuando|esto|eso|esta|tu|tú|como|saber)(?![\p{L}]))(?:mucho )?(?:el |la |los |las )?${valueList}`,
  ),
]
