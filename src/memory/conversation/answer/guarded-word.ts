// English words that embedders neglect and questions depend on: units, numbers, times, directions, opposites, owners.
// Ambiguous words are here too: a cache miss is better than a wrong answer.

/** Words with a plural. */
const nouns =
  // Units.
  'mile kilometer kilometre meter metre centimeter centimetre millimeter millimetre inch foot feet yard acre hectare ' +
  'second minute hour day week weekday weekend fortnight month quarter year decade century centuries millisecond ' +
  'gram kilogram kilo milligram microgram pound ounce stone ton tonne liter litre milliliter millilitre gallon pint ' +
  'quart cup tablespoon teaspoon spoon degree celsius fahrenheit kelvin bit byte kilobyte megabyte gigabyte terabyte ' +
  'watt kilowatt megawatt volt amp ampere ohm joule calorie hertz knot dollar euro cent penny pennies pence yen franc rupee ' +
  'yuan peso krona crown percent pixel ' +
  // Times.
  'morning noon afternoon evening night midnight spring summer autumn fall winter birthday anniversary ' +
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august ' +
  'september october november december ' +
  // Numbers.
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen ' +
  'nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen half ' +
  'halves third fourth fifth tenth ' +
  // Persons.
  'husband wife wives mother father mom dad parent brother sister sibling son daughter child children grandmother ' +
  'grandfather uncle aunt nephew niece boy girl man men woman women boyfriend girlfriend boss employee teacher student ' +
  'buyer seller sender receiver winner loser friend enemy'

/** Words with the endings of verbs. */
const verbs =
  'open close shut start stop begin end finish arrive leave depart enter exit increase decrease raise lower rise drop ' +
  'grow shrink buy sell earn spend win lose pass fail succeed push pull love hate allow permit forbid ban ' +
  'enable disable add remove delete create destroy import export upload download send receive lock give take borrow ' +
  'lend save accept reject approve deny denied denies grant revoke agree refuse cause prevent build break fix install connect ' +
  'attach encrypt decrypt encode decode read write input output store load show hide include exclude teach ' +
  'learn hire fire double triple cancel confirm join quit follow lead wake sleep bought sold won lost began begun left fell ' +
  'rose grew gave took lent built broke sent led woke hid hidden taught fed'

/** Words without endings. */
const others =
  // Symbols of units.
  'km cm mm mi ft yd km/h kmh kph mph min sec hr hrs ms kg mg lb lbs oz ml dl cl kb mb gb tb kib mib gib kbit mbit mbps ' +
  'gbps kw kwh mw gw hz khz mhz ghz kcal usd eur gbp chf jpy inr cny hp psi dpi fps rpm am pm ' +
  // Numbers.
  'zero first last next previous once twice thrice single both all every each few several most least ' +
  'more less fewer only ' +
  // Times.
  'today yesterday tomorrow tonight now then ago current currently past future former recent recently latest newest ' +
  'oldest early earlier earliest late later soon already yet still always often sometimes usually rarely ever daily ' +
  'weekly monthly quarterly yearly annual annually hourly nightly since until till during while was were will ' +
  // Directions.
  'north south east west northern southern eastern western left right up down above below over under top bottom front ' +
  'back behind forward forwards backward backwards upward downward upstairs downstairs inside outside indoor indoors ' +
  'outdoor outdoors out off from away near far between against ' +
  'clockwise counterclockwise horizontal vertical ' +
  // Opposites.
  'before after high higher highest low lowest big bigger biggest large larger largest small smaller smallest little ' +
  'long longer longest short shorter shortest hot hotter hottest warm cold colder coldest cool wet dry safe dangerous ' +
  'good better best bad worse worst new old older young younger youngest fast faster fastest slow slower slowest quick ' +
  'full empty strong weak light dark heavy rich poor alive dead married divorced same different true false yes right ' +
  'wrong easy hard difficult cheap cheaper cheapest expensive public private male female happy sad sick healthy clean ' +
  'dirty loud quiet thick thin wide narrow deep shallow sharp smooth rough hidden visible positive negative gross net ' +
  'min max minimum maximum plus minus odd even major minor upper ' +
  // Owners, and the words that ask for a person, time, place or reason.
  'my your his her our their mine yours hers ours theirs who whose whom when where why'

const words = (list: string) => list.replaceAll(' ', '|')
const guardedPattern = new RegExp(
  `^(?:(?:${words(nouns)})(?:e?s)?|(?:${words(verbs).replaceAll(/e(?=\\||$)/g, 'e?')})(?:e?s|e?d|[bgmnpt]?ing|[bgmnpt]ed)?|${words(others)})$`,
)

/** True if questions with and without this folded word are different, however similar their vectors. */
export const isGuardedWord = (folded: string): boolean => guardedPattern.test(folded.replace(/'s$/, ''))

/** Words that are also names, so that their capital counts: Polish, Turkey. */
export const namingWords: ReadonlySet<string> = new Set(
  (
    'polish turkey china chile jordan guinea mali chad danish swede nice bath reading cork mobile orange phoenix buffalo ' +
    'java lima bologna cologne champagne panama japan wales dover deal sandwich barking bury hull rugby ' +
    'may march august april june bill mark frank rose grace will hope faith joy art jack rob pat sue chase drew dean ' +
    'grant miles penny pierce dawn eve ivy violet olive daisy lily iris ruby pearl amber crystal jade ' +
    'angel carol chuck cliff clay dale don earnest ernest gene guy hunter harry heath jay josh lance lane max mason mike nick norm ' +
    'ray rich rusty sandy skip stew ted tom tony victor wade ward warren young brown black white green gray grey baker ' +
    'butcher carpenter cook fisher king knight major marsh page park parks pope porter potter price prince sharp singer ' +
    'smith stone storm swift taylor turner wood woods wright ' +
    'apple amazon windows word excel outlook teams slack notion signal target gap shell subway oracle python rust go ' +
    'pages numbers keynote safari chrome edge spark flask express react node meta alphabet square stripe zoom ' +
    'dove tide mars venus mercury saturn jupiter earth sun moon ford jaguar galaxy echo alexa siri lotus puma visa discover ' +
    'access basic pascal scheme elixir dart docker git jenkins cobalt ada julia spring rails django ' +
    'catholic democrat republican conservative liberal labour labor congress cabinet church state god bible internet'
  ).split(' '),
)
