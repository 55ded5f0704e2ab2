// Pairs of questions: a cached answer serves both only if they mean the same, by words and by vectors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import {
  distinguishingWords,
  questionForm,
} from '../../../../src/memory/conversation/answer/question-similarity.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from './site.ts'

let book: Daybook
beforeAll(async () => {
  book = await openDaybook({ name: 'pairs', path: ':memory:' })
})
afterAll(() => book.close())

let count = 0
/** True if the answer to the first question serves the second. */
async function serves(one: string, other: string): Promise<boolean> {
  const agent = `agent-${count++}`
  await book.conversation.cacheAnswer({ agent, question: one, answer: 'yes' })
  return (await book.conversation.cachedAnswer({ agent, question: other })).answer !== null
}

const same: readonly (readonly [string, string])[] = [
  ["What's the capital of France", 'what is the capital of france?'],
  ['What is the capital of France?', '  what is  the\tcapital of France '],
  ['What is the capital of France?', 'WHAT IS THE CAPITAL OF FRANCE??'],
  ['How wet is the garden?', '"How wet is the garden?"'],
  ['How wet is the garden?', '“how wet is the garden”?'],
  ['How wet is the garden?', "'How wet is the garden?'"],
  ["What's it?", '"What\'s it?"'],
  ['Is it down?', 'IS IT DOWN?'],
  ['.net', '.NET'],
  ['What is .net?', 'what is .NET'],
  ['Do I like it? How much do I?', 'do i like it? how much do i'],
  ['Turkey?', 'turkey?'],
  ['Was kostet der Käse?', 'was kostet der käse'],
  ['What is the capital of France', 'What is the capital of France?!…'],
  ['When is Ann’s birthday?', "when is ann's birthday"],
  ["Who's Ann?", 'Who is Ann'],
  ['Is Ann here?', 'Is\u00a0Ann here\u200b?'],
  ['Is Ann here.', 'Is Ann here?'],
  ['Où est Ann ?', 'où est ann?'],
  ['¿Dónde vive Ana?', 'dónde vive ana'],
  ['Où est l’école?', "Où est l'école"],
  ['Où est l’école?', 'Ou\u0300 est l’e\u0301cole?'],
  ['What is 7 + 3?', 'what is 7+3'],
  ['What is 7 − 3?', 'What is 7 - 3'],
  ['What is Ｃ＋＋？', 'what is c++'],
  ['How much is $5?', 'how much is $5'],
  ['What does US mean?', 'what does US mean'],
  ['WHAT DOES US MEAN?', 'WHAT DOES US MEAN'],
  ['What does ❤️ mean?', 'what does ❤ mean'],
  ['What is “it”?', 'what is "it"'],
  ['Is it 5 kg?', 'is it 5 kg'],
  ['李明住在哪里？', '李明住在哪里'],
  ['「水」とは何ですか。', '「水」とは何ですか'],
  ['Где живёт Анна?', 'где живёт анна'],
  ['Πού ζει η Άννα;', 'πού ζει η άννα'],
  ['أين تعيش آنا؟', 'أين تعيش آنا'],
  ['आना कहाँ रहती है?', 'आना कहाँ रहती है।'],
  ['อันนาอยู่ที่ไหน?', 'อันนาอยู่ที่ไหน'],
  ['안나는 어디에 살아?', '안나는  어디에 살아'],
]

/** Pairs that differ in a sign, a number, a unit, a negation or the case of a word: vectors must not join them. */
const distinct: readonly (readonly [string, string])[] = [
  ['What is 7 + 3?', 'What is 7 - 3?'],
  ['What is 7 + 3?', 'What is 7 × 3?'],
  ['What is 7 + 3?', 'What is 7 3?'],
  ['What is a*b?', 'What is a/b?'],
  ['Is the balance > 5?', 'Is the balance < 5?'],
  ['Is the balance > 5?', 'Is the balance >= 5?'],
  ['Is a == b?', 'Is a != b?'],
  ['Is -5 degrees cold?', 'Is 5 degrees cold?'],
  ['What is x² of 3?', 'What is x of 3?'],
  ['What is 2²?', 'What is 22?'],
  ['What is 5½?', 'What is 51/2?'],
  ['What is 5!', 'What is 5?'],
  ['Is 5! big?', 'Is 5 big?'],
  ['What is C?', 'What is C++?'],
  ['What is C++?', 'What is C#?'],
  ['What is C?', 'What is C*?'],
  ['What is the F# chord?', 'What is the F chord?'],
  ['What is .NET?', 'What is net?'],
  ['What is node.js?', 'What is node js?'],
  ['Who is @tom?', 'Who is #tom?'],
  ['Who is @tom?', 'Who is tom?'],
  ['How do I open C:\\temp?', 'How do I open C:/temp?'],
  ['What does ! mean?', 'What does ? mean?'],
  ['What does $x mean?', 'What does x mean?'],
  ['What does 😀 mean?', 'What does 😡 mean?'],
  ['What does 👍 mean?', 'What does 👍🏿 mean?'],
  ['What does 👩‍💻 mean?', 'What does 👩💻 mean?'],
  ['Is 🏴󠁧󠁢󠁥󠁮󠁧󠁿 in the cup?', 'Is 🏴󠁧󠁢󠁳󠁣󠁴󠁿 in the cup?'],
  ['How much is $5?', 'How much is €5?'],
  ['How much is $5?', 'How much is 5?'],
  ['How much is £5?', 'How much is ¥5?'],
  ['Is it 50%?', 'Is it 50?'],
  ['Is it 50%?', 'Is it 50‰?'],
  ['Is it 20 °C?', 'Is it 20 °F?'],
  ['Is it 5 kg?', 'Is it 5 lb?'],
  ['Is it 5 m long?', 'Is it 5 M long?'],
  ['Is it 5 Mb big?', 'Is it 5 MB big?'],
  ['Is it 5m long?', 'Is it 5M long?'],
  ['How strong is 3 mW?', 'How strong is 3 MW?'],
  ['Is it 1.5 times 2?', 'Is it 15 times 2?'],
  ['Is it 1,5?', 'Is it 15?'],
  ['Is version 1.0 out?', 'Is version 10 out?'],
  ['Is version 1.0 out?', 'Is version 1.0.0 out?'],
  ['What happened on 2026-11-29?', 'What happened on 2026-11-28?'],
  ['What happened on 11/12?', 'What happened on 12/11?'],
  ['Is the score 1:2?', 'Is the score 12?'],
  ['What does US mean?', 'What does us mean?'],
  ['Who works in IT?', 'Who works in it?'],
  ['WHAT DOES US MEAN?', 'What does us mean?'],
  ['Who is Polish?', 'Who is polish?'],
  ['Where is Turkey?', 'where is turkey?'],
  ['How many Mb?', 'How many mb?'],
  ['How many Mb?', 'How many MB?'],
  ['How far is it in miles?', 'How far is it in kilometers?'],
  ['How far is it in miles?', 'How far is it in hours?'],
  ['Did the deploy succeed today?', 'Did the deploy succeed yesterday?'],
  ['Did the deploy succeed today?', 'Did the deploy fail today?'],
  ['Did the deploy succeed today?', 'Did the deploy succeed on Monday?'],
  ['What is the daily dose?', 'What is the weekly dose?'],
  ['What is the first dose?', 'What is the second dose?'],
  ['What is the dose for two?', 'What is the dose for three?'],
  ['How do I open the window?', 'How do I close the window?'],
  ['When is the window opened?', 'When is the window closed?'],
  ['Who is stopping it?', 'Who is starting it?'],
  ['Is the way north?', 'Is the way south?'],
  ['Is it on the left side?', 'Is it on the right side?'],
  ['Is the oven safe?', 'Is the oven dangerous?'],
  ['When does Ann arrive?', 'When does Ann leave?'],
  ['When does Ann arrive?', 'Why does Ann arrive?'],
  ['What does my wife eat?', 'What does my husband eat?'],
  ['Is it near my house?', 'Is it near her house?'],
  ['Is it for Ann?', 'Is it from Ann?'],
  ['WHAT DOES US MEAN?', 'What does US mean?'],
  ['안나는 오늘 IBM 에서 일해?', '안나는 오늘 ibm 에서 일해?'],
  ['Does Ann eat fish?', 'Does Ann not eat fish?'],
  ['Does Ann eat fish?', "Doesn't Ann eat fish?"],
  ['Does Ann eat fish?', 'Does Ann never eat fish?'],
  ['Is it safe to eat?', 'Is it unsafe to eat?'],
  ['Is it good with milk?', 'Is it good without milk?'],
  ['Is it due before lunch?', 'Is it due after lunch?'],
  ['Isst Anna Fisch?', 'Isst Anna keinen Fisch?'],
  ['Est-ce que Anne mange?', 'Est-ce que Anne ne mange pas?'],
  ['Анна ест рыбу?', 'Анна не ест рыбу?'],
  ['Where does Anna live?', 'Where does Аnna live?'],
  ['Wo wohnt Müller?', 'Wo wohnt Möller?'],
  ['Wo wohnt Müller?', 'Wo wohnt Muller?'],
  ['李明住在哪里？', '王明住在哪里？'],
  ['かきは好きですか', 'かぎは好きですか'],
  ['राम की उम्र क्या है?', 'राम का उम्र क्या है?'],
  ['มาคืออะไร', 'ม้าคืออะไร'],
  ['هل يعيش هنا؟', 'هل لا يعيش هنا؟'],
  ['안나는 어디에 살아?', '한나는 어디에 살아?'],
]

/** Pairs that words distinguish; vectors alone may not. */
const different: readonly (readonly [string, string])[] = [
  ['IT or it?', 'it or IT?'],
  ['Did Bill pay the bill?', 'Did bill pay the Bill?'],
  ['Does Tom owe Jerry money?', 'Does Jerry owe Tom money?'],
  ['¿Cuántos años hace?', '¿Cuántos anos hace?'],
  ['Let us eat, Tom', 'Let us eat Tom'],
  ['What do I re-sign?', 'What do I resign?'],
]
const long = (word: string) => `Is it ${word} the thing that ${'we all of us did and do '.repeat(8)}here?`

describe('a cached answer', () => {
  it.each(same)('to %j serves %j', async (one, other) => {
    expect(questionForm(one)).toBe(questionForm(other))
    expect([await serves(one, other), await serves(other, one)]).toEqual([true, true])
  })

  it.each([...distinct, ...different, [long('my'), long('her')] as const])(
    'to %j does not serve %j',
    async (one, other) => {
      expect([await serves(one, other), await serves(other, one)]).toEqual([false, false])
    },
  )

  it.each(distinct)('to %j does not serve %j by their vectors', (one, other) => {
    expect(distinguishingWords(one)).not.toBe(distinguishingWords(other))
  })
})

it('serves no other question by the name that an earlier version gave', async () => {
  const { ports } = createTestTime()
  const { book: old, engine } = openSite(ports)
  // The earlier name of this question had no sign: it is the present name of "what is 7 3".
  await old.conversation.cacheAnswer({ question: 'What is 7 3?', answer: '10' })
  engine.store.db.run("UPDATE records SET body = replace(body, '7 3', '7 + 3')")
  for (const question of ['What is 7 3?', 'What is 7 - 3?'])
    expect(await old.conversation.cachedAnswer({ question })).toEqual({ answer: null })
  await old.conversation.cacheAnswer({ question: 'What is 7 + 3?', answer: 'ten' })
  expect(await old.conversation.cachedAnswer({ question: 'what is 7+3' })).toMatchObject({ answer: 'ten' })
  await closeSites()
})

it('has one form for the form of a question', () => {
  for (const [one, other] of [...same, ...distinct, ...different])
    for (const question of [one, other])
      expect(questionForm(` ${question}`)).toBe(questionForm(question.normalize('NFD')))
})
