// Patterns of German sentences about their speaker.
import {
  createNamePattern,
  createPattern,
  placeName,
  properName,
  type FactPattern,
  value,
  valueList,
} from './fact-pattern.ts'

const month = '(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)'
const date = String.raw`\d{1,2}\. ?(?:${month}|\d{1,2}\.)(?: ?\d{4})?`
const condition = String.raw`(?:typ-?[12]-?)?diabetes|asthma|epilepsie|migräne|arthrose|arthritis|adhs|autismus|depressionen|bluthochdruck|zöliakie|parkinson|alzheimer|demenz|krebs|[\p{L}]+krebs|heuschnupfen|neurodermitis|multiple sklerose|tinnitus|schlafapnoe`
const noJob =
  '(?!(?:Vegetarier|Veganer|Berliner|Wiener|Hamburger|Kölner|Münchner|Schweizer|Österreicher|Europäer|Engländer|Italiener|Spanier|Däne|Optimist|Pessimist|Raucher|Nichtraucher)(?:in)?(?![\\p{L}]))'

export const german: readonly FactPattern[] = [
  createNamePattern('home', String.raw`ich (?:wohne|lebe) nicht (?:mehr )?in `, placeName, true),
  createNamePattern(
    'home',
    String.raw`(?:ich |und |aber )?(?:wohne|lebe)(?: ich)?(?: aber)?(?: jetzt| nun| derzeit| inzwischen)? in `,
    placeName,
  ),
  createNamePattern(
    'home',
    String.raw`ich bin (?:gerade |vor kurzem |letztes jahr )?(?:von [^.!?;,]{1,40} )?(?:nach|in die|in den) `,
    String.raw`${placeName}(?= (?:um)?gezogen)`,
  ),
  createNamePattern('origin', String.raw`ich (?:komme|stamme) (?:ursprünglich )?aus `, placeName),
  createNamePattern(
    'origin',
    String.raw`ich (?:bin|wurde) (?:am [^!?;,]{1,30} )?in `,
    String.raw`${placeName}(?= (?:geboren|zur welt))`,
  ),
  createPattern('birthday', String.raw`(?:ich habe am (?<v>${date}) geburtstag)`),
  createPattern(
    'birthday',
    String.raw`(?:mein geburtstag ist (?:am|der)|ich bin am|ich wurde am) (?<v>${date})(?= geboren|$|[.!?,;])`,
  ),
  createPattern('age', String.raw`ich bin (?<v>\d{1,3}) jahre alt`),

  createNamePattern(
    'employer',
    String.raw`ich arbeite nicht (?:mehr )?(?:bei|für) (?:der |dem |den )?`,
    properName,
    true,
  ),
  createNamePattern(
    'employer',
    String.raw`ich arbeite (?:[^.!?;,]{1,60}? )?(?<!nicht )(?<!nicht mehr )bei (?:der |dem |den )?`,
    properName,
  ),
  createNamePattern(
    'job',
    String.raw`ich arbeite (?:jetzt |derzeit )?als (?:eine? )?`,
    String.raw`(?<v>\p{Lu}[\p{L}-]+)(?![\p{L}])`,
  ),
  createNamePattern(
    'job',
    String.raw`ich bin (?:jetzt |von beruf )?`,
    String.raw`${noJob}(?<v>\p{Lu}[\p{L}-]+(?:in|er|or|ist|eur|ent|loge|login|arzt|ärztin))(?![\p{L}])`,
  ),
  createPattern(
    'diet',
    String.raw`ich bin (?:nicht|kein|keine|nicht mehr) (?<v>vegan|vegetarisch|veganer(?:in)?|vegetarier(?:in)?)`,
    true,
  ),
  createPattern(
    'diet',
    String.raw`ich (?:bin|lebe|esse|ernähre mich) (?:jetzt )?(?<v>vegan|vegetarisch|veganer(?:in)?|vegetarier(?:in)?)(?![\p{L}])`,
  ),
  createPattern('avoids', String.raw`ich (?:esse|trinke|vertrage) keine?n? ${valueList}`),
  createPattern('allergic to', String.raw`ich bin nicht (?:mehr )?allergisch gegen ${valueList}`, true),
  createPattern(
    'allergic to',
    String.raw`ich bin (?:sehr |stark |leider |auch )?allergisch (?:gegen|auf) ${valueList}`,
  ),
  createPattern('allergic to', String.raw`ich bin gegen (?!nichts)(?<v>[^.!?;()\n]{2,80}?) allergisch`),
  createPattern('health', String.raw`ich habe (?:eine |einen )?(?<v>${condition})(?![\p{L}])`),
  createPattern('health', String.raw`ich leide (?:an|unter) ${value}`),

  createNamePattern('name', String.raw`(?:ich hei(?:ß|ss)e|mein name ist|nenn mich) `, properName),
  createPattern(
    'contact',
    String.raw`(?:ruf(?:en sie)?) mich (?:bitte )?(?:nicht|nie) (?<v>an)(?=$|[.!?;,])`,
    true,
  ),
  createPattern(
    'contact',
    String.raw`schreib(?:en sie)? mir (?:bitte |lieber |besser )*(?:eine |per )?(?<v>e-?mail|mail|nachricht|sms)(?=$|[.!?;,])`,
  ),
  createPattern(
    'contact',
    String.raw`erreichst? mich (?:am besten )?(?:per|über) (?<v>e-?mail|mail|telefon|sms|signal|whatsapp)`,
  ),
  createPattern(
    'plan',
    String.raw`am (?<v>${date} (?:fahre|fliege|ziehe|reise|gehe|heirate|beginne|besuche|fahren|fliegen|ziehen|reisen|heiraten|besuchen) (?:ich|wir)[^.!?;,]{0,60})`,
  ),
  createPattern(
    'plan',
    String.raw`(?:ich|wir) (?<v>(?:fahren?|fliegen?|ziehen?|reisen?|heiraten?|besuchen?)(?: wir| ich)?[^.!?;,]{0,30}? am ${date}[^.!?;,]{0,40})`,
  ),
  createPattern(
    'children',
    String.raw`(?:ich habe|wir haben) (?:[\p{L}]+ )?(?:kinder|söhne|töchter)[:,] ${valueList}`,
  ),
  createNamePattern('speaks', String.raw`ich spreche kein `, String.raw`(?<v>\p{Lu}\p{L}+)`, true),
  createNamePattern(
    'speaks',
    String.raw`ich spreche (?:fließend |gut |etwas |ein bisschen |ein wenig |auch )*`,
    String.raw`(?<v>\p{Lu}\p{L}+(?:(?: und |, )(?:fließend |gut |etwas |ein bisschen |ein wenig )*\p{Lu}\p{L}+){0,8})`,
  ),
  createPattern('favourite', String.raw`meine? lieblings(?<k>\p{L}{2,30}) ist (?!nicht )${value}`),
  createPattern('dislikes', String.raw`ich (?:mag kein(?:e|en)?|hasse) ${valueList}`),
  createPattern(
    'dislikes',
    String.raw`ich mag (?!dich|es |das )(?<v>[^.!?;:()\n,]{2,60}?) nicht(?=$|[.!?;:,])`,
  ),
  createPattern(
    'likes',
    String.raw`ich (?:mag|liebe) (?!kein|nicht|dich|euch|es |das |sie |ihn |dass|wie |wenn )(?![^.!?;,]* nicht(?![\p{L}]))(?:sehr |gerne? )?${valueList}`,
  ),
  createPattern(
    'note',
    String.raw`(?:bitte )?merk(?:e)? dir,? (?:bitte,? )?(?:dass|:) ?(?<v>[^\n]{3,300}?)[.!]?$`,
  ),
]
