// Facts that are known. Some stand in the place of earlier ones, and some say nearly the same as another.

import { defined } from '../../src/core/defined.ts'

export interface GoldenFact {
  readonly key: string
  readonly schema: string
  readonly data: Readonly<Record<string, string | number>>
  /** The key of the fact that this one supersedes: an earlier one in this list. */
  readonly instead?: string
}

const fact = (key: string, schema: string, data: GoldenFact['data'], instead?: string): GoldenFact => ({
  key,
  schema,
  data,
  ...defined({ instead }),
})

export const facts: readonly GoldenFact[] = [
  fact('allergy', 'health', { person: 'Mara', allergy: 'shellfish', reaction: 'swelling of face and lips' }),
  fact('samir', 'health', { person: 'Samir Rahimi', allergy: 'nuts', severity: 'carries an EpiPen' }),
  fact('asthma', 'health', {
    person: 'Tomas',
    condition: 'asthma',
    medicine: 'budesonide inhaler, twice a day',
  }),
  fact('blood', 'health', { person: 'Mara', blood_type: 'A negative' }),
  fact('physio-old', 'contact', { name: 'Ingrid Åkesson', role: 'physiotherapist', phone: '031-555 0142' }),
  fact(
    'physio',
    'contact',
    { name: 'Ingrid Åkesson', role: 'physiotherapist', phone: '031-555 0199' },
    'physio-old',
  ),
  fact('luthier', 'contact', { name: 'Herr Vogt', role: 'luthier', place: 'Kungsladugård' }),
  fact('city-old', 'contact', { name: 'Lars-Göran Ek', role: 'contact at the city for the harbour park' }),
  fact(
    'city',
    'contact',
    { name: 'Fatima Rahimi', role: 'contact at the city for the harbour park' },
    'city-old',
  ),
  fact('granite', 'contact', {
    name: 'Wei Zhang',
    role: 'supplier of granite',
    place: 'Xiamen',
    language: 'Chinese',
  }),
  fact('home-old', 'address', {
    person: 'Mara and Tomas',
    street: 'Karl Johansgatan 12',
    city: 'Gothenburg',
  }),
  fact(
    'home',
    'address',
    { person: 'Mara and Tomas', street: 'Slottsskogsgatan 33', city: 'Gothenburg' },
    'home-old',
  ),
  fact('studio', 'address', {
    firm: 'Tidal Studio',
    street: 'Fiskhamnsgatan 6',
    floor: 'third, without a lift',
  }),
  fact('elias-home-old', 'address', { person: 'Elias', street: 'the attic of Mara and Tomas' }),
  fact(
    'elias-home',
    'address',
    { person: 'Elias', street: 'Linnégatan 58', since: '1 November 2024' },
    'elias-home-old',
  ),
  fact('rate-2023', 'price', { service: 'planting design', hourly_rate: '950 kronor', year: 2023 }),
  fact(
    'rate-2024',
    'price',
    { service: 'planting design', hourly_rate: '1,050 kronor', year: 2024 },
    'rate-2023',
  ),
  fact('vat', 'price', { what: 'value added tax on design work', percent: 25 }),
  fact('insurance', 'contract', {
    what: 'liability insurance of the studio',
    insurer: 'Länsförsäkringar',
    number: 'LF-77-3102',
  }),
  fact('lease', 'contract', {
    what: 'lease of the electric van',
    monthly: '3,890 kronor',
    until: 'September 2027',
  }),
  fact('phase', 'project', { project: 'harbour park', phase: 'one', budget: '14.2 million kronor' }),
  fact('opening-old', 'project', { project: 'harbour park', opening: 'spring 2026' }),
  fact('opening', 'project', { project: 'harbour park', opening: '12 September 2025' }, 'opening-old'),
  fact('plants', 'project', {
    project: 'harbour park',
    planting: 'sea kale, thrift, grey alder, dwarf pine',
  }),
  fact('plants-again', 'project', {
    project: 'harbour park',
    planting: 'sea kale, thrift, grey alder and dwarf pine',
  }),
  fact('language', 'preference', {
    person: 'Mara',
    about: 'letters to clients',
    wish: 'Swedish first, English below',
  }),
  fact('coffee-old', 'preference', { person: 'Mara', about: 'coffee', wish: 'with oat milk' }),
  fact(
    'coffee',
    'preference',
    { person: 'Mara', about: 'coffee', wish: 'black, no more oat milk' },
    'coffee-old',
  ),
  fact('meetings', 'preference', {
    person: 'Mara',
    about: 'meetings',
    wish: 'never before nine and never on Fridays',
  }),
  fact('font', 'preference', {
    person: 'Mara',
    about: 'drawings',
    wish: 'lettering in Cronos, never in Arial',
  }),
  fact('tomas-job', 'person', { person: 'Tomas', work: 'restores church organs' }),
  fact('noor-job', 'person', { person: 'Noor', work: 'plays first violin and teaches mathematics' }),
  fact('petter-job', 'person', { person: 'Petter', work: 'plays the viola and photographs gardens' }),
  fact('birthday', 'person', { person: 'Elias', born: '17 August 1984' }),
  fact('passport', 'document', { person: 'Mara', document: 'passport', expires: '3 February 2027' }),
  fact('password', 'document', {
    what: 'plotter in the studio',
    pin: '8802',
    paper: 'roll of 914 millimetres',
  }),
  fact('kyoto', 'preference', { person: 'マラ', about: '宿', wish: '畳の部屋と温泉が好き' }),
  fact('seoul', 'project', { project: '서울 전시회', place: '코엑스', date: '10월 25일' }),
  fact('chiang', 'contact', { name: 'สมชาย', role: 'ผู้ดูแลสวนที่เชียงใหม่', phone: '053-555 010' }),
  fact('beekeeper', 'contact', {
    name: 'Åke Brandt',
    role: 'beekeeper who bought the old van',
    place: 'Tjörn',
  }),
]
