// The question's own words choose whether recall gives the best hits or a whole answer.
import { describe, expect, it } from 'vitest'
import { mayAskForWhole } from '../../../src/recall/whole/whole-word.ts'
import { wantOf } from '../../../src/recall/whole/want.ts'

/** These ask for one thing, though they have the words of a whole. */
const best: Record<string, readonly string[]> = {
  en: [
    'what is the order number of my parcel',
    'Where is my order?',
    'Did I order the pizza in the afternoon?',
    'did we decide to list the house in May?',
    'did I find all the keys',
    'What are the orders of the day?',
    'Which bus did I take to the airport?',
    'which glass did we break first',
    'Who moved in over the shop?',
    'When was the first concert?',
    'What is the whole price?',
    'who keeps the all-day shop',
    'what do I need in order to renew my passport',
    'Which items are out of order?',
    'list price of the bike',
    'What is the list price?',
    'Where did I put the shopping list?',
    'what is on the packing list',
    'is the conference an all day event',
    'all day event',
    'Did we find the keys after all?',
    'is everything all right with the boiler',
    'Did I like the film at all?',
    'who came all the way from Oslo',
    'How often should I water the orchid?',
    'How many times a day do I take the pills?',
    'how many eggs do I need',
    'How many commits are merged into the main branch?',
    'Where did I save the summary of the meeting?',
    'who wrote the summary',
    'When did I summarise the report for Anna?',
    'Which timeline did the architect propose?',
    'What is the name of the hotel?',
    'why did the build fail?',
    'when does the all inclusive offer end',
    'what happens every Monday',
    'all',
    'list',
    'order',
    '',
    '   ',
  ],
  de: [
    'Wie ist die Bestellnummer meiner Bestellung?',
    'Was kostet das laut Preisliste?',
    'Wie oft muss ich die Orchidee gießen?',
    'Was war vor allem wichtig?',
    'Wann kommt der Zug alle Tage an?',
    'Wo ist die Zusammenfassung des Treffens?',
    'Passen die Teile zusammen?',
    'Haben wir zusammen gegessen?',
    'ist alles klar mit dem Vertrag',
  ],
  fr: [
    'Quel est le numéro de ma commande ?',
    "Qu'y a-t-il à l'ordre du jour ?",
    'Combien de fois par jour dois-je prendre le sirop ?',
    'Que fait-il tous les jours ?',
    'Où est la liste de prix ?',
    'Qui a écrit le résumé de la réunion ?',
    'Où est la réunion de toute la journée ?',
  ],
  es: [
    '¿Cuál es el número de mi orden de compra?',
    '¿Cuántas veces al día debo tomar el jarabe?',
    '¿Qué hace todos los días?',
    '¿Dónde está la lista de precios?',
    '¿Quién escribió el resumen?',
  ],
  it: [
    "Qual è il numero dell'ordine?",
    'Quante volte al giorno devo prendere lo sciroppo?',
    'Cosa fa tutti i giorni?',
    "Dov'è il listino prezzi?",
    'Chi ha scritto il riassunto?',
  ],
  pt: [
    'Qual é o número da minha ordem de serviço?',
    'Quantas vezes por dia devo tomar o xarope?',
    'O que ele faz todos os dias?',
    'Onde está a lista de preços?',
    'Quem escreveu o resumo?',
  ],
  nl: [
    'Wat is het nummer van mijn bestelling?',
    'Hoe vaak moet ik de plant water geven?',
    'Wat doet hij alle dagen?',
    'Waar is de prijslijst?',
    'Wie schreef de samenvatting?',
    'Wonen zij samen?',
  ],
}

const wholes: Record<'all' | 'order' | 'summary', readonly string[]> = {
  all: [
    'List every restaurant I mentioned',
    'list all my books',
    'Can you list the films we talked about?',
    'please list what I spent on the car',
    'Show me all the bugs we fixed',
    'What are all the places I want to visit?',
    'give me every recipe with lentils',
    'Tell me everything about the garden',
    'everything I said about my knee',
    'My knee hurts again. List all the doctors I saw, please.',
    'hey, could you please list my books?',
    'How many times did I run in March?',
    'How often did I go to the dentist?',
    'How many different user roles am I trying to implement across my sessions?',
    'how many books did I read in total',
    'Which are all of the open invoices?',
    'Which novels did I read on holiday?',
    'What feature flags have we turned on?',
    'What are the different ways to find the area?',
    'What are some of the names we thought of?',
    'How many power cuts did we have, and when?',
    'What did we lose? Give me the whole list.',
    'Liste alle Restaurants auf, die ich erwähnt habe',
    'Zeig mir alle Fehler',
    'Nenne mir sämtliche Bücher',
    'Wie oft war ich beim Zahnarzt?',
    'Wie viele verschiedene Rezepte habe ich gekocht?',
    'alles, was ich über den Garten gesagt habe',
    'Liste tous les restaurants que j’ai mentionnés',
    'Donne-moi toutes les factures ouvertes',
    'Combien de fois ai-je couru en mars ?',
    'tout ce que j’ai dit sur le jardin',
    'Enumera los restaurantes que mencioné',
    'Muéstrame todas las facturas',
    '¿Cuántas veces fui al dentista?',
    'todo lo que dije sobre el jardín',
    'Elenca i ristoranti che ho citato',
    'Mostrami tutte le fatture',
    'Quante volte sono andato dal dentista?',
    'Liste todos os restaurantes',
    'Mostre-me todas as faturas',
    'Quantas vezes fui ao dentista?',
    'Noem alle restaurants die ik noemde',
    'Toon me alle facturen',
    'Hoe vaak was ik bij de tandarts?',
    'alles wat ik over de tuin zei',
  ],
  order: [
    'In what order did I visit the cities?',
    'in which order did we fix the bugs',
    'Can you list the order in which I brought up the topics, in order?',
    'Walk me through the order in which I built the app',
    'Give me a timeline of the move',
    'Which came first, the flood or the fire?',
    'What did I plant first in the bed, and what after that?',
    'How did the price change over time?',
    'How did the loaves turn out, from the first to the latest?',
    'List the events in chronological order',
    'What was the sequence of events before the outage?',
    'Tell me chronologically how the trip went',
    'In welcher Reihenfolge habe ich die Städte besucht?',
    'Was geschah der Reihe nach?',
    'Erzähl chronologisch, wie der Umzug lief',
    'Dans quel ordre ai-je visité les villes ?',
    'Raconte le voyage par ordre chronologique',
    '¿En qué orden visité las ciudades?',
    'Cuenta el viaje en orden cronológico',
    'In che ordine ho visitato le città?',
    'Racconta il viaggio in ordine cronologico',
    'Em que ordem visitei as cidades?',
    'Conte a viagem em ordem cronológica',
    'In welke volgorde bezocht ik de steden?',
    'Vertel de reis in chronologische volgorde',
  ],
  summary: [
    'Summarise what we did about the boiler',
    'Can you summarize how I learned Spanish?',
    'Please give me a summary of the project',
    'Could you provide a comprehensive summary of how my app has progressed?',
    'Give me an overview of the renovation',
    'recap the last month',
    'Sum up what I know about Lisbon',
    'What happened in the garden? Sum it up for me.',
    'Tell me the whole story of the sofa',
    'How did my training go overall?',
    'Can you summarize how my app changed over time?',
    'What have we covered so far about triangles?',
    'Fasse zusammen, was wir über die Heizung wissen',
    'Kannst du das Projekt zusammenfassen?',
    'Gib mir einen Überblick über den Umbau',
    'Résume ce que nous avons fait',
    'Peux-tu me faire un résumé du projet ?',
    'Resume lo que hicimos',
    'Hazme un resumen del proyecto',
    'Riassumi quello che abbiamo fatto',
    'Fammi un riassunto del progetto',
    'Resuma o que fizemos',
    'Faça um resumo do projeto',
    'Vat samen wat we deden',
    'Geef een overzicht van de verbouwing',
  ],
}

describe('wantOf', () => {
  for (const [language, questions] of Object.entries(best))
    it.each(questions)(`leaves a question for one thing alone (${language}): %s`, (question) => {
      expect(wantOf(question)).toBe('best')
    })

  for (const [want, questions] of Object.entries(wholes))
    it.each(questions)(`${want}: %s`, (question) => {
      expect(wantOf(question)).toBe(want)
      // The first look lets it through.
      expect(mayAskForWhole(question)).toBe(true)
    })

  it('leaves most questions alone at the first look', () => {
    const passed = Object.values(best)
      .flat()
      .filter((question) => mayAskForWhole(question))
    expect(mayAskForWhole('why did the build fail?')).toBe(false)
    expect(mayAskForWhole('When is the dentist?')).toBe(false)
    expect(passed.length).toBeLessThan(Object.values(best).flat().length)
  })

  it('does not choose for a long text: it is no question', () => {
    const text = `List all my books. ${'Some words of a letter. '.repeat(100)}`
    expect(wantOf(text)).toBe('best')
    expect(mayAskForWhole(text)).toBe(false)
  })

  it('takes no longer for a text that repeats its words', () => {
    const began = performance.now()
    for (const word of ['list ', 'give me ', 'how many ', 'order in which ', 'fasse ', 'tell me all '])
      wantOf(word.repeat(10_000 / word.length))
    for (const word of ['list ', 'give me ', 'how many ', 'order ', 'fass ', 'all '])
      wantOf(word.repeat(Math.floor(990 / word.length)))
    expect(performance.now() - began).toBeLessThan(200)
  })
})
