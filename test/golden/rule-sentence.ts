// Judged sentences of users in four languages: does the sentence give the assistant a standing rule? Written before the
// finder, except the last ones of each list in `heldOut`, which were written to mislead it. Tune with `tuning` only;
// never look at the faults in `heldOut` to change a pattern.
export interface JudgedSentence {
  readonly language: 'en' | 'de' | 'es' | 'fr'
  readonly text: string
  readonly isRule: boolean
}

type Half = Readonly<
  Record<
    JudgedSentence['language'],
    { readonly rules: readonly string[]; readonly others: readonly string[] }
  >
>

const sentencesOf = (half: Half): readonly JudgedSentence[] =>
  (['en', 'de', 'es', 'fr'] as const).flatMap((language) => {
    const { rules, others } = half[language]
    return [
      ...rules.map((text) => ({ language, text, isRule: true })),
      ...others.map((text) => ({ language, text, isRule: false })),
    ]
  })

export const tuning = sentencesOf({
  en: {
    rules: [
      'Never touch the audit table by hand.',
      'Always answer in German, even when I write English.',
      'From now on, send me an email instead of calling.',
      "Please don't use emojis in your answers.",
      'Call me Sam, not Samuel.',
      'I prefer short answers over long ones.',
      'You should always ask before you delete a file.',
      "Going forward, don't schedule anything on Fridays.",
      "Don't ever share my address with anyone.",
      'Thanks! And always cite the source, please.',
      'Send me the report on Mondays from now on.',
    ],
    others: [
      'I always drink two coffees in the morning.',
      'My manager never reads the reports.',
      'Should I always use tabs?',
      'He told me: never trust a cache.',
      "You don't always have to answer in German.",
      'She prefers tea over coffee.',
      'Call me tomorrow around nine.',
      "Please don't start the build yet, I need five minutes.",
      'I have never been to Lisbon.',
      'I used to prefer tabs over spaces.',
      'Can you call me a taxi?',
      'It is not true that I prefer tea over coffee.',
      'The shop opens at nine from now on.',
      'I work from home from now on.',
    ],
  },
  de: {
    rules: [
      'Antworte immer auf Deutsch.',
      'Lösche niemals Dateien, ohne mich zu fragen.',
      'Ab jetzt bitte nur noch metrische Einheiten.',
      'Bitte ruf mich nicht an, schreib mir eine Mail.',
      'Nenn mich Alex.',
      'Ich bevorzuge kurze Antworten gegenüber langen.',
      'Du sollst nie meinen Nachnamen verwenden.',
      'Von nun an duzen wir uns.',
      'Schick mir die Berichte in Zukunft am Montag.',
    ],
    others: [
      'Ich trinke morgens immer Kaffee.',
      'Mein Chef antwortet nie auf Mails.',
      'Soll ich immer Tabs verwenden?',
      'Du musst nicht immer auf Deutsch antworten.',
      'Sie hat gesagt: ruf mich nie wieder an.',
      'Ruf mich morgen an.',
      'Er bevorzugt Tee gegenüber Kaffee.',
      'Ich war noch nie in Lissabon.',
    ],
  },
  es: {
    rules: [
      'Responde siempre en español.',
      'Nunca borres archivos sin preguntarme.',
      'A partir de ahora usa el sistema métrico.',
      'Por favor, no me llames por teléfono.',
      'Llámame Lucía.',
      'Prefiero respuestas cortas a respuestas largas.',
      'No uses nunca mi apellido.',
      'De ahora en adelante, escríbeme por correo.',
      'Mándame el informe los lunes de ahora en adelante.',
    ],
    others: [
      'Siempre tomo café por la mañana.',
      'Mi jefe nunca contesta los correos.',
      '¿Debo usar siempre tabuladores?',
      'No tienes que responder siempre en español.',
      'Ella dijo: nunca me llames.',
      'Llámame mañana a las nueve.',
      'Ella prefiere el té al café.',
      'Nunca he estado en Lisboa.',
    ],
  },
  fr: {
    rules: [
      'Réponds toujours en français.',
      'Ne supprime jamais un fichier sans me demander.',
      'À partir de maintenant, utilise le système métrique.',
      "S'il te plaît, ne m'appelle pas au téléphone.",
      'Appelle-moi Camille.',
      'Je préfère les réponses courtes aux longues.',
      "N'utilise jamais mon nom de famille.",
      'Désormais, écris-moi par courriel.',
      'Envoie-moi le rapport le lundi désormais.',
    ],
    others: [
      'Je bois toujours un café le matin.',
      'Mon chef ne répond jamais aux mails.',
      'Dois-je toujours utiliser des tabulations ?',
      "Tu n'es pas obligé de répondre toujours en français.",
      "Elle a dit : ne m'appelle jamais.",
      'Appelle-moi demain à neuf heures.',
      'Elle préfère le thé au café.',
      "Je n'ai jamais été à Lisbonne.",
    ],
  },
})

export const heldOut = sentencesOf({
  en: {
    rules: [
      'Never push to main without a review.',
      'Always use the metric system.',
      'From now on please keep it under ten lines.',
      "Please don't mention my ex.",
      'You can call me Jo.',
      'I prefer email over phone calls.',
      'Under no circumstances delete the backups.',
      'Please always add a test when you change the parser.',
      "Don't call me Mister.",
      "I'd rather you wrote to me than called.",
      'Stop using bullet points.',
      'Address me as Doctor Okafor.',
      'Use Celsius from now on.',
    ],
    others: [
      'We always deploy on Tuesdays.',
      'The server never restarts by itself.',
      'Why do you always answer in English?',
      'My sister says you should never eat after eight.',
      'It is never too late to learn.',
      "Please don't worry about it.",
      'Do you prefer tea over coffee?',
      'I never said that.',
      'Call me when you are done.',
      'They prefer trains over planes.',
      'From now on the shop opens at nine.',
      'Always a pleasure!',
      'Never say never.',
      "Please don't hesitate to ask.",
      'I prefer to work over the weekend.',
      'Never in my life did I see that.',
      '"Never call me" was her last message.',
    ],
  },
  de: {
    rules: [
      'Verwende immer das metrische System.',
      'Fass die Produktionsdatenbank nie an.',
      'Ab sofort keine Emojis mehr.',
      'Bitte erwähne meine Scheidung nicht.',
      'Du kannst mich Kim nennen.',
      'Ich mag E-Mails lieber als Anrufe.',
      'Frag mich bitte immer, bevor du etwas bestellst.',
      'Niemals ohne Rückfrage buchen!',
      'Schreib künftig nur noch auf Englisch.',
      'Sprich mich bitte mit Frau Weber an.',
      'Keine Anrufe mehr nach 18 Uhr, bitte.',
    ],
    others: [
      'Wir liefern immer dienstags aus.',
      'Der Server startet nie von allein neu.',
      'Warum antwortest du immer auf Englisch?',
      'Meine Schwester sagt, man soll nie nach acht essen.',
      'Das habe ich nie gesagt.',
      'Magst du Tee lieber als Kaffee?',
      'Ruf mich an, wenn du fertig bist.',
      'Ab jetzt hat der Laden um neun offen.',
      'Immer diese Fragen!',
      'Nie wieder Krieg, rief die Menge.',
      'Sabine kommt nie zu spät.',
    ],
  },
  es: {
    rules: [
      'Usa siempre el sistema métrico.',
      'No toques nunca la base de datos de producción.',
      'Desde ahora, nada de emojis.',
      'Por favor, no menciones mi divorcio.',
      'Puedes llamarme Alex.',
      'Prefiero el correo a las llamadas.',
      'Pregúntame siempre antes de comprar algo.',
      'Jamás compartas mi dirección.',
      'Usa Celsius a partir de ahora.',
      'De ahora en adelante, trátame de usted.',
      'No me envíes nunca archivos adjuntos.',
    ],
    others: [
      'Siempre desplegamos los martes.',
      'El servidor nunca se reinicia solo.',
      '¿Por qué respondes siempre en inglés?',
      'Mi hermana dice que nunca hay que cenar tarde.',
      'Nunca dije eso.',
      '¿Prefieres el té al café?',
      'Llámame cuando termines.',
      'A partir de ahora la tienda abre a las nueve.',
      'Siempre es así.',
      'Nunca digas nunca.',
      'Casi siempre llego tarde.',
    ],
  },
  fr: {
    rules: [
      'Utilise toujours le système métrique.',
      'Ne touche jamais à la base de production.',
      "Dorénavant, pas d'emojis.",
      "S'il vous plaît, ne mentionnez pas mon divorce.",
      "Tu peux m'appeler Alex.",
      'Je préfère les courriels aux appels.',
      "Demande-moi toujours avant d'acheter quelque chose.",
      'Ne partagez jamais mon adresse.',
      'Parle-moi toujours en anglais.',
      'Utilise les degrés Celsius désormais.',
      "Il ne faut jamais m'appeler après 18 heures.",
    ],
    others: [
      'Nous déployons toujours le mardi.',
      'Le serveur ne redémarre jamais tout seul.',
      'Pourquoi réponds-tu toujours en anglais ?',
      'Ma sœur dit qu’il ne faut jamais dîner tard.',
      "Je n'ai jamais dit ça.",
      'Tu préfères le thé au café ?',
      'Appelle-moi quand tu auras fini.',
      'À partir de maintenant, le magasin ouvre à neuf heures.',
      'Il pleut toujours ici.',
      "N'importe quoi, jamais de la vie !",
      'On ne sait jamais.',
    ],
  },
})
