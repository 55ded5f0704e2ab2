// What is asked of the long talks, and which turns answer it. The second list was written in one go, before any constant was
// chosen by the first, and nobody who changes a constant looks at it.
import { ask, type GoldenQuestion } from './question.ts'

export const longQuestions: readonly GoldenQuestion[] = [
  ask('turn', 'When does my first sprint end?', 'ledger:3=3'),
  ask('turn', 'Which library did I choose for hashing passwords?', 'ledger:7=3 ledger:5=1'),
  ask('turn', 'What is the response time of the dashboard API now?', 'ledger:17=3 ledger:15=2'),
  ask('turn', 'How did I get rid of the locked database error?', 'ledger:11=3 ledger:9=2'),
  ask('turn', 'Have I ever worked with charts in my budget tracker?', 'ledger:15=3 ledger:13=3 ledger:11=2'),
  ask('turn', 'How does my bank export its files?', 'ledger-two:5=3'),
  ask('turn', 'How much do I pay for the server?', 'ledger-two:9=3 ledger-two:7=1'),
  ask('turn', 'Did I ask about the PDF report?', 'ledger-two:11=3'),
  ask(
    'turn',
    'What did I want to know about remembering logged in people with Flask-Login?',
    'ledger-two:13=3',
  ),
  ask('turn', 'What is the name of my new landlord?', 'flat:3=3'),
  ask('turn', 'Which moving company did I decide on, and what does it cost?', 'flat:7=3 flat:5=1'),
  ask('turn', 'Which medicine does the cat get for the drive?', 'flat:13=3 flat:11=1'),
  ask(
    'turn',
    'Can you list the order in which I brought up different aspects of deployment throughout our conversations? Mention only two items.',
    'ledger-two:7=3 ledger-two:9=2',
  ),
  ask('turn', 'Wie heißt der Kindergarten, in den Jonte kommt?', 'umzug:3=3 umzug:1=1'),
  ask('turn', 'Was kostet mich die Zahnspange?', 'umzug:7=3 umzug:5=2'),
  ask('turn', '¿Dónde nos alojamos en Asturias y cuánto cuesta?', 'viaje:5=3'),
  ask('turn', 'what was that econnreset thing about', 'tools:1=3 tools:3=3'),
  ask('turn', 'importer_v2_shadow', 'tools:9=3'),
  ask('turn', 'BillingPeriod.toUtc', 'tools:7=3'),
  ask('turn', 'PAY-3127', 'tools:11=3'),
  ask('nothing', 'Which trombone did I buy for the orchestra?', ''),
  ask('nothing', 'ugh ok so what was it about the submarine', ''),
  ask('nothing', 'kubectl rollout undo', ''),
]

export const longHeldOut: readonly GoldenQuestion[] = [
  ask('turn', 'On which day must Ledgerly be live?', 'ledger:1=3'),
  ask('turn', 'How much memory does my password hashing take?', 'ledger:7=3'),
  ask('turn', 'Which chart library am I using?', 'ledger:15=3 ledger:13=2'),
  ask('turn', 'What did I put into the second sprint?', 'ledger-two:1=3'),
  ask('turn', 'Have I asked how to find the delimiter of CSV files?', 'ledger-two:3=3 ledger-two:5=1'),
  ask('turn', 'What did people complain about with the session?', 'ledger-two:15=3'),
  ask('turn', 'How high is the deposit for the flat?', 'flat:3=3'),
  ask('turn', 'By when does the surgery need my NHS number?', 'flat:9=3'),
  ask('turn', 'Which cats do I have and what do they get?', 'flat:13=3 flat:1=1'),
  ask(
    'turn',
    'Can you give me a comprehensive summary of what I told you about my move to Bristol?',
    'flat:1=3 flat:3=2 flat:7=2 flat:9=1',
  ),
  ask('turn', 'Was war mit der Heizung kaputt, und was hat die Reparatur gekostet?', 'umzug:11=3 umzug:9=2'),
  ask('turn', 'Wann fängt der Kindergarten an?', 'umzug:3=3'),
  ask('turn', '¿Qué coche alquilamos y a qué hora lo recogemos?', 'viaje:9=3 viaje:7=1'),
  ask('turn', 'keepAliveTimeout', 'tools:3=3'),
  ask('turn', 'src/billing/period.ts', 'tools:7=3'),
  ask('turn', 'the molie webhook that comes twice', 'tools:11=3'),
  ask('nothing', 'How tall is the lighthouse that I painted?', ''),
  ask('nothing', 'helm chart rollback', ''),
  ask('nothing', 'um where did the penguins go', ''),
]
