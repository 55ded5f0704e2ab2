// Pairs of statements of one person: the later one changes the earlier one, or only resembles it. Judged before the rule was
// written; the second list is held out: nobody who changes the rule looks at it.

export interface StatementPair {
  readonly question: string
  readonly earlier: string
  readonly later: string
  /** True: the later statement contradicts the earlier one. */
  readonly isChange: boolean
}

const pair =
  (isChange: boolean) =>
  (question: string, earlier: string, later: string): StatementPair => ({
    question,
    earlier,
    later,
    isChange,
  })
const change = pair(true)
const none = pair(false)

export const changes: readonly StatementPair[] = [
  change(
    'who is my dentist',
    'My dentist is Dr Alvarez on Mill Road.',
    'I changed my dentist to Dr Brandt, because Dr Alvarez retired.',
  ),
  change('when is the standup', 'The standup is at 9:15.', 'The standup moved to 10:00 from Monday on.'),
  change(
    'what milk do I drink',
    'I drink oat milk in my coffee.',
    'I no longer drink oat milk, it gives me a rash.',
  ),
  change(
    'where does Tom live',
    'Tom lives in Hamburg.',
    'Tom moved to Berlin, so he no longer lives up there.',
  ),
  change('which gym do I go to', 'My gym is Fitness First.', 'My gym is Elixia now.'),
  change(
    'what does the gym cost',
    'The gym costs 39 euros a month.',
    'Actually the gym costs 45 euros a month.',
  ),
  change(
    'Wer ist mein Zahnarzt?',
    'Mein Zahnarzt ist Dr. Alt in der Bahnhofstraße.',
    'Ich habe den Zahnarzt gewechselt und bin bei Frau Brand.',
  ),
  change('¿Dónde vive Ana?', 'Ana vive en Sevilla.', 'Ana ya no vive en Sevilla, está en Madrid.'),
  change(
    'where do I keep the passport',
    'I keep the passport in the desk.',
    "I don't keep the passport in the desk any more.",
  ),
  change('午餐几点', '午餐时间是12点。', '午餐时间改成13点了。'),
  none('who is my dentist', 'My dentist is Dr Alvarez.', 'I am now in the waiting room of the dentist.'),
  none('what is my job', 'My job is at the bank.', 'My sister changed her job last week.'),
  none('when is the standup', 'The standup is at 9:15.', 'The time of the standup has not changed.'),
  none(
    'who is my dentist',
    'My dentist is Dr Alvarez.',
    'Should I have changed my dentist, is Dr Brandt better?',
  ),
  none(
    'who is my dentist',
    'My dentist is Dr Alvarez.',
    'Dr Alvarez, my dentist, moved the appointment to Friday.',
  ),
  none('what tea do I like', 'I like green tea.', 'I bought more green tea, the shop has a new owner now.'),
  none(
    'which gym do I go to',
    'My gym is Fitness First.',
    'Maybe I will have changed my gym to Elixia by May.',
  ),
  none('where does Tom live', 'Tom lives in Hamburg.', 'Tom now has two cats.'),
  none('Wer ist mein Zahnarzt?', 'Mein Zahnarzt ist Dr. Alt.', 'Jetzt muss ich noch zum Zahnarzt.'),
  none('what milk do I drink', 'I drink oat milk.', 'The cafe moved, and they sell oat milk.'),
  change('who is my boss', 'My boss is Lena.', 'My new boss is Otto.'),
  change(
    'Qui est mon dentiste ?',
    'Mon dentiste est le docteur Petit.',
    'Mon nouveau dentiste est le docteur Grand.',
  ),
  change(
    'what is my car',
    'My car is a Skoda Fabia.',
    'I no longer have the Skoda Fabia, my car is a Dacia.',
  ),
  none(
    'which phone do I have',
    'My phone is a Pixel 7.',
    'My phone now has a crack, the repair is 120 pounds.',
  ),
  none('what is my medication', 'My medication is Lisinopril 10 mg.', 'My medication now costs 12 pounds.'),
  none('what is the rent for flat A', 'The rent for flat A is 900.', 'The rent for flat B is now 950.'),
  none('who is my doctor', 'My doctor is Dr Weir.', 'My doctor moved to Glasgow Road 12.'),
  none('what is my car', 'My car is a Skoda.', 'I moved my car to Elm Street.'),
  none(
    'how much coffee do I drink',
    'I drink two coffees a day at Artisan.',
    'I no longer drink coffee after 16:00.',
  ),
  none('what did I read', 'I read Middlemarch.', 'I started to read Bleak House, gave up at page 90.'),
  none(
    'what is the landlord’s price a month',
    'The landlord raised the rent to 1250 a month.',
    'Cancelled the gym, it was 39 a month.',
  ),
  change('who is my dentist', 'My dentist is Dr. Alvarez.', 'I changed my dentist to Dr. Brandt.'),
  change('who is my teacher', 'My teacher is Mrs. Cole.', 'My teacher is now Mr. Reed.'),
  change('when is the deadline', 'The deadline is 5 May.', 'We moved the deadline from 5 May to 9 May.'),
  change('when is the deadline', 'The deadline is 5 May.', 'The deadline is now 9 May instead of 5 May.'),
  change('when is the deadline', 'The deadline is 5 May.', 'The deadline is no longer 5 May but 9 May.'),
  change(
    'Wer ist mein Zahnarzt?',
    'Mein Zahnarzt ist Dr. Alvarez.',
    'Ich habe meinen Zahnarzt zu Dr. Brandt gewechselt.',
  ),
  none('who is my dentist', 'My dentist is Dr Alvarez.', 'I changed my dentist to Dr Brandt. Just kidding!'),
  none(
    'who is my dentist',
    'My dentist is Dr Alvarez.',
    '“I changed my dentist to Dr Brandt” is a line of the play.',
  ),
  none('who is my dentist', 'My dentist is Dr Alvarez.', 'Translate: I changed my dentist to Dr Brandt.'),
  none(
    'who is my dentist',
    'My dentist is Dr Alvarez.',
    'I thought I had changed my dentist to Dr Brandt, but no.',
  ),
  none(
    'Wer ist mein Zahnarzt?',
    'Mein Zahnarzt ist Dr. Alvarez.',
    'Meine Schwester hat ihren Zahnarzt zu Dr. Brandt gewechselt.',
  ),
  none('who is my manager', 'My manager is Precious.', 'My manager now sits on floor 5.'),
  none('who is my landlord', 'My landlord is Mr Boyle.', 'I no longer owe Mr Boyle my landlord 300 pounds.'),
]

export const changesHeldOut: readonly StatementPair[] = [
  change('which phone do I have', 'My phone is a Pixel 7.', 'I replaced my phone, it is a Fairphone 5.'),
  change(
    'when is choir practice',
    'Choir practice is on Tuesdays.',
    'Choir practice was moved to Thursdays.',
  ),
  change('do I eat meat', 'I eat meat twice a week.', 'I stopped eating meat in May.'),
  change('who cleans the flat', 'Marta cleans the flat.', 'Marta no longer cleans the flat, Ivo does.'),
  change('what is the wifi password', 'The wifi password is tulip44.', 'The wifi password is rose71 now.'),
  change('what is the rent', 'The rent is 900 euros.', 'The rent is actually 950 euros.'),
  change('Wo arbeitet Lena?', 'Lena arbeitet bei Siemens.', 'Lena arbeitet nicht mehr bei Siemens.'),
  change('Où habite Paul ?', 'Paul habite à Lyon.', 'Paul habite maintenant à Nantes.'),
  change('Onde trabalha a Rita?', 'A Rita trabalha no Porto.', 'A Rita já não trabalha no Porto.'),
  change('which bank do I use', 'I use the bank ING.', 'I switched my bank to Triodos.'),
  none('which phone do I have', 'My phone is a Pixel 7.', 'My phone is out of battery now.'),
  none(
    'when is choir practice',
    'Choir practice is on Tuesdays.',
    'Choir practice was lovely, and now I am tired.',
  ),
  none('do I eat meat', 'I eat meat twice a week.', 'My brother stopped eating meat.'),
  none('who cleans the flat', 'Marta cleans the flat.', 'If Marta no longer cleans the flat, we must do it.'),
  none('what is the wifi password', 'The wifi password is tulip44.', 'I never changed the wifi password.'),
  none(
    'what is the rent',
    'The rent is 900 euros.',
    'The landlord might have changed the rent to 950 euros.',
  ),
  none('Wo arbeitet Lena?', 'Lena arbeitet bei Siemens.', 'Lena hat jetzt Urlaub.'),
  none('which bank do I use', 'I use the bank ING.', 'I moved the bench by the bank of the river.'),
  none('where does Paul live', 'Paul lives in Lyon.', 'Paul moved the sofa.'),
  none('what car do I drive', 'I drive a red Zoe.', 'Actually a red Zoe is a nice car.'),
]
