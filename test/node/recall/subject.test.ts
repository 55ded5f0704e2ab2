// The subject of a question for a whole: what is left without the words that ask for a list, an order or a summary.
import { describe, expect, it, test } from 'vitest'
import { subjectOf } from '../../../src/recall/whole/subject.ts'
import { open } from './embedding-case.ts'

const subjects: Readonly<Record<string, string>> = {
  'List every restaurant we tried.': 'restaurant we tried.',
  'How many times did I run in March?': 'did I run in March?',
  'Summarise what we did about the boiler': 'what we did about the boiler',
  'Give me an overview of the renovation': 'the renovation',
  'What did I knit first, the scarf or the mittens?': 'What did I knit , the scarf or the mittens?',
  'Can you list the order in which I brought up different aspects of my talk throughout our conversations? Mention only five items.':
    'my talk ? .',
  'Fasse zusammen, was wir über die Heizung wissen': ', was wir über die Heizung wissen',
  'Liste tous les restaurants': 'les restaurants',
  '¿En qué orden visité las ciudades?': '¿ visité las ciudades?',
  'Mostrami tutte le fatture': 'le fatture',
  'Quantas vezes fui ao dentista?': 'fui ao dentista?',
  'Noem alle restaurants': 'restaurants',
  'Enumerate the books': 'the books',
  'tl;dr of the trip': 'the trip',
  'Welche Bücher habe ich gelesen?': 'Bücher gelesen?',
  'Quels livres ai-je lus ?': 'livres lus ?',
  '¿Qué libros he leído?': '¿ libros he leído?',
  'Quali libri ho letto?': 'libri ho letto?',
  'Que livros li?': 'livros li?',
  'Welke boeken heb ik gelezen?': 'boeken gelezen?',
  'Zeitleiste von Pixel': 'Pixel',
  'Tijdlijn van Pixel': 'Pixel',
  'Chronologie d’Athènes': 'Athènes',
  'Cronología del proyecto': 'proyecto',
  'Cronologia del progetto': 'progetto',
  'Linha do tempo da mudança': 'mudança',
  'Em que ordem visitei as cidades?': 'visitei as cidades?',
  'Was war zuerst, die Flut oder das Feuer?': 'Was war , die Flut oder das Feuer?',
  '¿Qué fue primero la mudanza o la boda?': '¿ fue la mudanza o la boda?',
  'Zusammenfassung der Reise': 'Reise',
  'Résumé du voyage': 'voyage',
  'Résumé de mon divorce': 'divorce',
  'Chronologie de mon procès': 'procès',
  'Resumen de mi divorcio': 'divorcio',
  'Cronologia del mio processo': 'processo',
  'Resumo do meu divórcio': 'divórcio',
  'Resumen de mineral': 'mineral',
  'Riassunto del viaggio': 'viaggio',
  'Samenvatting van de reis': 'de reis',
  'Give me a list of my visits': 'my visits',
  'I want a list of all visits': 'visits',
  'Gib mir eine Liste der Käufe': 'der Käufe',
  'Kannst du mir bitte eine Liste meiner Reisen geben?': 'meiner Reisen geben?',
  'Fais-moi une liste de mes achats': 'de mes achats',
}

describe('subjectOf', () => {
  it.each(Object.entries(subjects))('%s', (question, subject) => {
    expect(subjectOf(question)).toBe(subject)
  })

  it.each([
    'order numbers of the invoices',
    'Which orders did I cancel?',
    'books about the history of Rome and its lists',
    'my first sprint',
  ])('leaves words of the subject: %s', (question) => {
    for (const word of ['order', 'orders', 'books', 'Rome', 'lists', 'first'])
      if (question.split(' ').includes(word)) expect(subjectOf(question)).toContain(word)
  })

  it('leaves a question without another word, and a long text', () => {
    expect(subjectOf('Summarise everything')).toBe('Summarise everything')
    const long = `List all my books. ${'Some words of a letter. '.repeat(100)}`
    expect(subjectOf(long)).toBe(long)
  })

  it('reads accents that are written apart', () => {
    expect(subjectOf('Re\u0301sume ce que nous avons fait')).toBe('ce que nous avons fait')
  })
})

const sayings = [
  'We list our house with the agent, every room has a photo.',
  'Sum up the bill before you pay.',
  'The first summary of the order came in time.',
  'We chartered a bus to Leeds.',
]

test.each([
  'List every yacht that we sailed.',
  'Sum up the excavation of the villa.',
  'In what order did the orchestra rehearse the symphonies?',
  'Give me a summary of the lawsuit.',
])('a whole about something that the book lacks is no answer: %s', async (question) => {
  const book = open(undefined)
  await book.store(sayings)
  expect((await book.recall(question, { limit: 40 })).hits).toEqual([])
})

test('a list finds its records, also beside records about lists', async () => {
  const book = open(undefined)
  await book.store([...sayings, 'Carmen is a grand opera.', 'Another opera on Sunday.'])
  const { hits, words } = await book.recall('List every opera that we saw.', { limit: 40 })
  expect(hits.slice(0, 2).map(({ because }) => because.text?.words)).toEqual([['opera'], ['opera']])
  expect(words?.map(({ word }) => word)).toEqual(['opera', 'saw'])
})
