// What an agent believes about its user, each under a name with aliases, and what is asked of it: rambling, misspelt, by a
// name alone. The second list was written in one go, and nobody who changes a constant looks at it.
import type { Daybook } from '../../src/book/daybook.ts'
import { ask, type GoldenQuestion } from './question.ts'

/** Key, name, aliases, content. */
const beliefs: readonly (readonly [string, string, readonly string[], string])[] = [
  [
    'valkey',
    'Valkey',
    ['the cache server'],
    'Keeps sessions and rate limits; chapter three of the handbook explains how it is set up.',
  ],
  [
    'handbook',
    'Team handbook',
    ['the handbook'],
    'Written in AsciiDoc, twelve chapters, printed every spring.',
  ],
  [
    'pnpm',
    'pnpm workspaces',
    ['package manager'],
    'All JavaScript projects are workspaces; npm is not used anywhere.',
  ],
  ['ts', 'TypeScript strict mode', ['strict'], 'Every project compiles with strict and without any.'],
  ['tabs', 'Indentation', ['tabs or spaces'], 'Two spaces everywhere, tabs only in makefiles.'],
  [
    'standup',
    'Stand-up',
    ['daily', 'morning meeting'],
    'At a quarter past nine, written and not spoken on Wednesdays.',
  ],
  [
    'friday',
    'No deploys on Friday',
    ['deploy freeze'],
    'Releases go out from Monday to Thursday until three in the afternoon.',
  ],
  [
    'review',
    'Code review',
    ['pull requests'],
    'Two people look at what touches money, one at everything else.',
  ],
  ['nadia', 'Nadia Ferreira', ['Nadia'], 'Leads the payments team and prefers calls to long mails.'],
  ['olu', 'Oluwaseun Adeyemi', ['Olu'], 'Owns the search cluster; on leave until the end of May.'],
  [
    'borg',
    'Backups with Borg',
    ['borg', 'backup tool'],
    'Nightly, encrypted, kept for ninety days in Helsinki.',
  ],
  [
    'grafana',
    'Grafana boards',
    ['dashboards'],
    'One board for each service, and alarms only for what wakes somebody.',
  ],
  [
    'kyoto',
    'Kyoto offsite',
    ['the offsite'],
    'Planned for the second week of November, twelve people, budget approved.',
  ],
  [
    'vegan',
    'Vegan lunch',
    ['diet', 'food preference'],
    'Eats no animal products, and avoids soy because of an allergy.',
  ],
  ['run', 'Morning run', ['running'], 'Eight kilometres before breakfast, never on Mondays.'],
  [
    'novel',
    'The Glass Harbour',
    ['the novel', 'her book'],
    'A novel in three parts; the heroine Ines repairs lighthouses.',
  ],
  ['ines', 'Ines', ['heroine'], 'Afraid of deep water, left-handed, thirty-four years old.'],
  ['ending', 'Ending of part two', ['cliffhanger'], 'The lamp goes out while the ferry turns into the bay.'],
  ['budget', 'Travel budget', ['travel money'], 'Three thousand euros a year, trains before planes.'],
  ['phone', 'Phone calls', ['calling'], 'Never between noon and two, and rather a message first.'],
  [
    'rust',
    'Rust experiment',
    ['the rust thing'],
    'The image resizer was rewritten and is four times as fast.',
  ],
  ['sentry', 'Sentry quota', ['error tracking'], 'Sampling at a tenth since the quota ran out in March.'],
  [
    'piano',
    'Piano lessons',
    ['lessons with Mr Haas'],
    'Thursdays at six with Mr Haas, at the moment Schumann.',
  ],
  ['car', 'Car sharing', ['the shared car'], 'A blue Zoe at the corner, booked through the co-operative.'],
]

export async function fillBeliefs(book: Daybook): Promise<void> {
  for (const [key, name, aliases, content] of beliefs)
    await book.facts.store({
      id: `fact-${key}`,
      schema: 'belief',
      data: { name, aliases: [...aliases], content },
    })
}

export const beliefQuestions: readonly GoldenQuestion[] = [
  ask('fact', "What's Valkey doing in chapter three?", 'valkey=3 handbook=1'),
  ask(
    'fact',
    'ugh so like i was wondering, before i write the whole announcement, whether anybody ever said something about deploys on a friday',
    'friday=3',
  ),
  ask('fact', 'typsecript', 'ts=3'),
  ask('fact', 'who is olu', 'olu=3'),
  ask('fact', 'tabs or spaces?', 'tabs=3'),
  ask(
    'fact',
    'sorry for the silly question, my head is full today, but when exactly was that stand-up again, and is it in the usual place?',
    'standup=3',
  ),
  ask('fact', 'how long are borg backups kept', 'borg=3'),
  ask('fact', 'grafanna alarms', 'grafana=3'),
  ask('fact', 'What is Ines afraid of?', 'ines=3 novel=1'),
  ask('fact', 'the glass harbour', 'novel=3'),
  ask(
    'fact',
    'I need to plan the menu for the summer party with everybody and their families, what was the food preference',
    'vegan=3',
  ),
  ask('fact', 'can i call nadia or should i mail her', 'nadia=3'),
  ask('fact', 'the offsite, when and how many', 'kyoto=3'),
  ask(
    'fact',
    'what happens in the cliffhanger, i want to quote it in the mail to the publisher tomorrow morning',
    'ending=3',
  ),
  ask('fact', 'pacakge manager', 'pnpm=3'),
  ask('nothing', 'who won the football cup', ''),
  ask('nothing', 'what did the dentist say about molars', ''),
  ask('nothing', 'Zanzibar', ''),
]

export const beliefHeldOut: readonly GoldenQuestion[] = [
  ask(
    'fact',
    'hmm what was it with sentry, we talked so long about the whole quarter and the numbers that i lost the thread',
    'sentry=3',
  ),
  ask('fact', 'the rust thing, was it worth it', 'rust=3'),
  ask('fact', 'pull requsts that touch money', 'review=3'),
  ask('fact', 'Mr Haas', 'piano=3'),
  ask('fact', 'which colour is the shared car', 'car=3'),
  ask('fact', 'when do i run', 'run=3'),
  ask(
    'fact',
    'okay so my sister wants to visit in autumn and asked about trains and hotels and all that, how high is the travel budget',
    'budget=3',
  ),
  ask('fact', 'indentaton', 'tabs=3'),
  ask('fact', 'Oluwaseun', 'olu=3'),
  ask('fact', 'is it fine to try calling at one', 'phone=3'),
  ask('fact', 'how old is the heroine of her book', 'ines=3 novel=2'),
  ask('fact', 'in which format do we write the team handbok', 'handbook=3'),
  ask('nothing', 'recipe for goulash', ''),
  ask('nothing', 'how deep is lake Baikal', ''),
  ask('nothing', 'mortgage', ''),
]
